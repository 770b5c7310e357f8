"""Profiles on the wire."""

from collections.abc import Sequence

from rensou.v1 import profile_pb2 as pb
from rensou.v1 import recall_service_pb2 as rpc
from rensou_recall.types.profile import Profile, ProfileEffect, ProfileOutcome
from rensou_recall.types.retrieval import Admission
from rensou_shared.errors import InvalidField

_NAMES = {
    Profile.FLAT: pb.PROFILE_FLAT,
    Profile.DIVERSE: pb.PROFILE_DIVERSE,
    Profile.GRAPH: pb.PROFILE_GRAPH,
    Profile.RERANK: pb.PROFILE_RERANK,
}
_PROFILES = {value: profile for profile, value in _NAMES.items()} | {pb.PROFILE_UNSPECIFIED: Profile.FLAT}
_ADMISSIONS = {
    Admission.RANKED: rpc.ADMISSION_RANKED,
    Admission.TIME_CUE: rpc.ADMISSION_TIME_CUE,
    Admission.GRAPH: rpc.ADMISSION_GRAPH,
    Admission.RETIRED: rpc.ADMISSION_RETIRED,
}


def decode_profile(profile: pb.Profile) -> Profile:
    """What is done with the ranking.

    Raises:
        InvalidField: The value is none of the enum.
    """
    if profile not in _PROFILES:
        raise InvalidField("profile", f"{profile} is no profile of this version")
    return _PROFILES[profile]


def encode_profiles(profiles: Sequence[Profile]) -> list[pb.Profile]:
    """The profiles as values of the enum."""
    return [_NAMES[profile] for profile in profiles]


def encode_admission(admission: Admission) -> rpc.Admission:
    """What a hit is there for."""
    return _ADMISSIONS[admission]


def encode_effect(effect: ProfileEffect | None) -> pb.ProfileEffect | None:
    """What a profile made of a hit; None stays None."""
    if effect is None:
        return None
    return pb.ProfileEffect(
        profile=_NAMES[effect.profile],
        score=effect.score,
        fused_rank=effect.fused_rank,
        similarity=effect.similarity,
        page_rank=effect.page_rank,
    )


def encode_outcome(outcome: ProfileOutcome | None) -> pb.ProfileOutcome | None:
    """What a profile did to an answer; None stays None."""
    if outcome is None:
        return None
    graph = outcome.graph
    return pb.ProfileOutcome(
        profile=_NAMES[outcome.profile],
        applied=outcome.applied,
        window=outcome.window,
        graph=None
        if graph is None
        else pb.GraphReach(
            entities=graph.entities,
            records=graph.records,
            entities_omitted=graph.entities_omitted,
            records_omitted=graph.records_omitted,
            lists_cut=graph.lists_cut,
        ),
    )
