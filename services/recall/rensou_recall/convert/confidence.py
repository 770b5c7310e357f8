"""How sure callers are, and how well records are grounded, as messages."""

from typing import Final

from rensou.v1 import confidence_pb2 as pb
from rensou_recall.types.certainty import Certainty
from rensou_recall.types.confidence import MAX_GROUND_REFS, Ground, GroundFound, Level, MemoryConfidence
from rensou_shared.errors import InvalidField

CERTAINTIES: Final = {
    pb.CERTAINTY_UNSPECIFIED: None,
    pb.CERTAINTY_SURE: Certainty.SURE,
    pb.CERTAINTY_LIKELY: Certainty.LIKELY,
    pb.CERTAINTY_VAGUE: Certainty.VAGUE,
}
CERTAINTY_NAMES: Final = {certainty: name for name, certainty in CERTAINTIES.items()}
LEVELS: Final = {
    Level.NONE: pb.CONFIDENCE_LEVEL_NONE,
    Level.LOW: pb.CONFIDENCE_LEVEL_LOW,
    Level.MEDIUM: pb.CONFIDENCE_LEVEL_MEDIUM,
    Level.HIGH: pb.CONFIDENCE_LEVEL_HIGH,
    Level.STRONG: pb.CONFIDENCE_LEVEL_STRONG,
}
_GROUNDS: Final = {
    Ground.STATED: pb.GROUND_STATED,
    Ground.CORROBORATED: pb.GROUND_CORROBORATED,
    Ground.CONTRADICTED: pb.GROUND_CONTRADICTED,
    Ground.QUALIFIED: pb.GROUND_QUALIFIED,
    Ground.ANONYMOUS: pb.GROUND_ANONYMOUS,
    Ground.REPLACED: pb.GROUND_REPLACED,
    Ground.NOT_VALID: pb.GROUND_NOT_VALID,
}


def decode_certainty(field: str, value: pb.Certainty) -> Certainty | None:
    """How sure the caller is; None when it does not say.

    Raises:
        InvalidField: The value is none of the enum.
    """
    if value not in CERTAINTIES:
        raise InvalidField(field, f"{value} is no certainty of this version")
    return CERTAINTIES[value]


def encode_confidence(confidence: MemoryConfidence | None) -> pb.MemoryConfidence | None:
    """How well a record is grounded; None stays None."""
    if confidence is None:
        return None
    return pb.MemoryConfidence(
        level=LEVELS[confidence.level],
        points=confidence.points,
        grounds=[_encode_ground(found) for found in confidence.grounds],
        supports_cut=confidence.supports_cut,
    )


def _encode_ground(found: GroundFound) -> pb.ConfidenceGround:
    return pb.ConfidenceGround(
        ground=_GROUNDS[found.ground],
        value=found.value,
        points=found.points,
        refs=[str(ref) for ref in found.refs[:MAX_GROUND_REFS]],
        refs_omitted=max(len(found.refs) - MAX_GROUND_REFS, 0),
    )
