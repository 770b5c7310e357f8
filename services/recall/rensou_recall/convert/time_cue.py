"""Time cues and what they did."""

from rensou.v1 import time_cue_pb2 as pb
from rensou_recall.convert.fields import decode_time, encode_time
from rensou_recall.types.time_cue import (
    CUE_POLICY,
    Ago,
    AgoUnit,
    Between,
    Confidence,
    CueIgnored,
    CueOutcome,
    LongAgo,
    TimeCue,
)
from rensou_shared.errors import InvalidField

_CONFIDENCES = {
    pb.TIME_CONFIDENCE_SURE: Confidence.SURE,
    pb.TIME_CONFIDENCE_LIKELY: Confidence.LIKELY,
    pb.TIME_CONFIDENCE_VAGUE: Confidence.VAGUE,
}
_CONFIDENCE_VALUES = {confidence: value for value, confidence in _CONFIDENCES.items()}
_UNITS = {
    pb.TIME_UNIT_DAYS: AgoUnit.DAYS,
    pb.TIME_UNIT_WEEKS: AgoUnit.WEEKS,
    pb.TIME_UNIT_MONTHS: AgoUnit.MONTHS,
}
_IGNORED = {CueIgnored.RECENT_ONLY: pb.TIME_CUE_IGNORED_RECENT_ONLY}


def decode_time_cue(field: str, cue: pb.TimeCue) -> TimeCue:
    """The cue that `field` holds.

    Raises:
        InvalidField: It has no confidence or no form, or a part of it is outside its range.
    """
    if cue.confidence not in _CONFIDENCES:
        raise InvalidField(f"{field}.confidence", "must be one of SURE, LIKELY and VAGUE")
    confidence = _CONFIDENCES[cue.confidence]
    match cue.WhichOneof("form"):
        case "period":
            return TimeCue(confidence, _decode_period(f"{field}.period", cue.period))
        case "ago":
            return TimeCue(confidence, _decode_ago(f"{field}.ago", cue.ago))
        case "long_ago":
            return TimeCue(confidence, LongAgo())
        case _:
            raise InvalidField(f"{field}.form", "period, ago or long_ago is required")


def _decode_period(field: str, period: pb.TimePeriod) -> Between:
    after = decode_time(f"{field}.after_time", period, "after_time")
    before = decode_time(f"{field}.before_time", period, "before_time")
    if after is None and before is None:
        raise InvalidField(field, "needs after_time or before_time")
    if after is not None and before is not None and before <= after:
        raise InvalidField(f"{field}.before_time", "must lie after after_time")
    return Between(after, before)


def _decode_ago(field: str, ago: pb.TimeAgo) -> Ago:
    if ago.unit not in _UNITS:
        raise InvalidField(f"{field}.unit", "must be one of DAYS, WEEKS and MONTHS")
    if ago.value < 0:
        raise InvalidField(f"{field}.value", f"must be 0 or more (it is {ago.value})")
    return Ago(_UNITS[ago.unit], ago.value)


def encode_time_cue(outcome: CueOutcome | None) -> pb.TimeCueOutcome | None:
    """What a cue did; None stays None."""
    if outcome is None:
        return None
    findings = outcome.findings
    return pb.TimeCueOutcome(
        policy=CUE_POLICY,
        start_time=encode_time(findings.period.start_at),
        end_time=encode_time(findings.period.end_at),
        confidence=_CONFIDENCE_VALUES[findings.confidence],
        revised=findings.revised,
        moved=outcome.moved,
        seated=outcome.seated,
        ignored=pb.TIME_CUE_IGNORED_UNSPECIFIED if findings.ignored is None else _IGNORED[findings.ignored],
        cut=findings.found.cut,
        records=findings.found.held,
    )
