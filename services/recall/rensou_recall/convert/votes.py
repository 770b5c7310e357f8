"""How arms and steps saw a record, and the names of arms, steps, fusions, gates and signals."""

from rensou.v1 import gate_pb2
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_recall.types.retrieval import Arm, Fusion, GateLevel, Prior, Ranked, Step, Vote
from rensou_recall.types.signal import Signal

FUSION_NAMES = {Fusion.CONVEX: pb.FUSION_CONVEX, Fusion.RRF: pb.FUSION_RRF}
ARMS = {
    Arm.VECTOR: pb.ARM_VECTOR,
    Arm.LEXICAL: pb.ARM_LEXICAL,
    Arm.RECENT: pb.ARM_RECENT,
    Arm.TRIGRAM: pb.ARM_TRIGRAM,
}
STEPS = {
    Step.CONTEXT: rpc.STEP_CONTEXT,
    Step.NAMED_DATES: rpc.STEP_NAMED_DATES,
    Step.TIME_WORDS: rpc.STEP_TIME_WORDS,
    Step.SESSION: rpc.STEP_SESSION,
    Step.ASKED: rpc.STEP_ASKED,
    Step.SPEAKER: rpc.STEP_SPEAKER,
    Step.ASKS: rpc.STEP_ASKS,
}
GATES = {
    GateLevel.LENIENT: gate_pb2.GATE_LENIENT,
    GateLevel.BALANCED: gate_pb2.GATE_BALANCED,
    GateLevel.STRICT: gate_pb2.GATE_STRICT,
    GateLevel.OFF: gate_pb2.GATE_OFF,
}


_SIGNALS = {
    None: gate_pb2.RELEVANCE_SIGNAL_UNSPECIFIED,
    Signal.NONE: gate_pb2.RELEVANCE_SIGNAL_UNSPECIFIED,
    Signal.CLOSENESS: gate_pb2.RELEVANCE_SIGNAL_CLOSENESS,
    Signal.WORDS: gate_pb2.RELEVANCE_SIGNAL_WORDS,
    Signal.COSINE: gate_pb2.RELEVANCE_SIGNAL_COSINE,
}


def encode_signal(signal: Signal | None) -> gate_pb2.RelevanceSignal:
    """What a relevance is a measure of."""
    return _SIGNALS[signal]


def encode_votes(ranked: Ranked) -> list[rpc.ArmVote]:
    """The votes, in the order of the enum."""
    return [_encode_vote(vote) for vote in sorted(ranked.votes, key=lambda v: ARMS[v.arm])]


def encode_priors(ranked: Ranked) -> list[rpc.Prior]:
    """The priors, in the order of the enum."""
    return [_encode_prior(prior) for prior in sorted(ranked.priors, key=lambda p: STEPS[p.step])]


def _encode_vote(vote: Vote) -> rpc.ArmVote:
    return rpc.ArmVote(arm=ARMS[vote.arm], rank=vote.rank, score=vote.score, share=vote.share)


def _encode_prior(prior: Prior) -> rpc.Prior:
    return rpc.Prior(step=STEPS[prior.step], share=prior.share)
