"""How far is searched, on the wire."""

from rensou.v1 import reach_pb2 as pb
from rensou_recall.types.far import FarList
from rensou_recall.types.reach import Reach
from rensou_shared.errors import InvalidField

_REACHES = {
    pb.REACH_UNSPECIFIED: Reach.NEAR,
    pb.REACH_NEAR: Reach.NEAR,
    pb.REACH_WIDE: Reach.WIDE,
}


def decode_reach(reach: pb.Reach) -> Reach:
    """How far is searched.

    Raises:
        InvalidField: The value is none of the enum.
    """
    if reach not in _REACHES:
        raise InvalidField("reach", f"{reach} is no reach of this version")
    return _REACHES[reach]


def encode_far(far: FarList | None) -> pb.FarList | None:
    """What was searched among retired records; None stays None."""
    return None if far is None else pb.FarList(searched=far.searched, beyond=far.beyond, refused=far.refused)
