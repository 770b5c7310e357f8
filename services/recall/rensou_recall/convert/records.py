"""Records and quotes as messages."""

import json

from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct

from rensou.v1 import types_pb2 as pb
from rensou_recall.convert.fields import encode_time
from rensou_recall.types.records import LoweredBound, NodesOutlook, Quote, QuoteBasis, StartReason, StoredRecord

_KINDS = {"mem": pb.RECORD_KIND_MEMORY, "ep": pb.RECORD_KIND_EPISODE}
_BASES = {
    QuoteBasis.WHOLE: pb.QUOTE_BASIS_WHOLE,
    QuoteBasis.NODE: pb.QUOTE_BASIS_NODE,
    QuoteBasis.START: pb.QUOTE_BASIS_START,
    QuoteBasis.SPAN: pb.QUOTE_BASIS_SPAN,
    QuoteBasis.WITHHELD: pb.QUOTE_BASIS_WITHHELD,
}
_START_REASONS = {
    None: pb.START_REASON_UNSPECIFIED,
    StartReason.NO_NODES: pb.START_REASON_NO_NODES,
    StartReason.NOT_CURRENT: pb.START_REASON_NOT_CURRENT,
}
_OUTLOOKS = {
    NodesOutlook.NONE: pb.NODES_STATUS_UNSPECIFIED,
    NodesOutlook.QUEUED: pb.NODES_STATUS_QUEUED,
    NodesOutlook.DEFERRED: pb.NODES_STATUS_DEFERRED,
}


def encode_record(record: StoredRecord) -> pb.Record:
    """The record without its text."""
    source = record.source
    named = source.type or source.id or source.name
    return pb.Record(
        ref=str(record.ref),
        kind=_KINDS[record.ref.kind],
        project_id=record.project_id,
        channel=record.channel,
        source=pb.Source(type=source.type, id=source.id, name=source.name) if named else None,
        session_id=record.session_id,
        occurred_time=encode_time(record.occurred_at),
        ended_time=encode_time(record.ended_at),
        create_time=encode_time(record.created_at),
        locked=record.locked,
        revision=record.revision,
        retired=record.retired,
    )


def encode_quote(quote: Quote) -> pb.Quote:
    """The quoted passage."""
    node = quote.node
    return pb.Quote(
        content=quote.content,
        span=None if quote.basis is QuoteBasis.WITHHELD else pb.Span(start=quote.start_char, end=quote.end_char),
        content_length=quote.content_chars,
        basis=_BASES[quote.basis],
        node=None
        if node is None
        else pb.NodeRef(index=node.index, of=node.of, span=pb.Span(start=node.start_char, end=node.end_char)),
        start_reason=_START_REASONS[quote.start_reason],
    )


def encode_outlook(outlook: NodesOutlook) -> pb.NodesStatus:
    """What becomes of a record past the window."""
    return _OUTLOOKS[outlook]


def encode_lowered(lowered: LoweredBound) -> pb.LoweredBound:
    """A bound that was moved."""
    return pb.LoweredBound(field=lowered.field, requested=lowered.requested, applied=lowered.applied)


def encode_metadata(metadata_json: str | None) -> Struct | None:
    """The metadata as it was given; None stays None."""
    return None if metadata_json is None else json_format.ParseDict(json.loads(metadata_json), Struct())
