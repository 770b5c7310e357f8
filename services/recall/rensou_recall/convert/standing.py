"""What is asked and said about replaced records."""

from collections.abc import Sequence
from typing import Final

from rensou.v1 import resolution_pb2 as pb
from rensou_recall.convert.fields import encode_time
from rensou_recall.types.standing import MAX_SHOWN, Resolution, Standing
from rensou_shared.errors import InvalidField
from rensou_shared.ids import format_relation_ref

_RESOLUTIONS: Final = {
    pb.RESOLUTION_UNSPECIFIED: Resolution.ANY,
    pb.RESOLUTION_ANY: Resolution.ANY,
    pb.RESOLUTION_ANNOTATE: Resolution.ANNOTATE,
    pb.RESOLUTION_CURRENT: Resolution.CURRENT,
}
SUPPORTED_RESOLUTIONS: Final[Sequence[pb.Resolution]] = (
    pb.RESOLUTION_ANY,
    pb.RESOLUTION_ANNOTATE,
    pb.RESOLUTION_CURRENT,
)


def decode_resolution(value: pb.Resolution) -> Resolution:
    """What is done with replaced records.

    Raises:
        InvalidField: The value is none of the enum.
    """
    if value not in _RESOLUTIONS:
        raise InvalidField("resolution", f"{value} is no resolution of this version")
    return _RESOLUTIONS[value]


def encode_standing(standing: Standing | None) -> pb.Standing | None:
    """What is declared about a record, each list cut to what is shown; None stays None."""
    if standing is None:
        return None
    return pb.Standing(
        state=pb.RECORD_STATE_REPLACED if standing.is_replaced else pb.RECORD_STATE_CURRENT,
        successors=[
            pb.Successor(ref=str(one.ref), declare_time=encode_time(one.declared_at))
            for one in standing.successors[:MAX_SHOWN]
        ],
        successors_omitted=_beyond(standing.successors),
        replaces=[
            pb.Replaced(ref=str(one.ref), by_ref=str(one.by), declare_time=encode_time(one.declared_at))
            for one in standing.replaces[:MAX_SHOWN]
        ],
        replaces_omitted=_beyond(standing.replaces),
        qualified_by=[str(ref) for ref in standing.qualified_by[:MAX_SHOWN]],
        qualified_by_omitted=_beyond(standing.qualified_by),
        contradictions=[
            pb.Contradiction(ref=str(one.ref), relation_ref=format_relation_ref(one.relation_id))
            for one in standing.contradictions[:MAX_SHOWN]
        ],
        contradictions_omitted=_beyond(standing.contradictions),
        chain_cut=standing.chain_cut,
    )


def _beyond(shown: Sequence[object]) -> int:
    return max(len(shown) - MAX_SHOWN, 0)
