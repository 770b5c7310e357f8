"""Selections of texts."""

from rensou.v1 import recall_service_pb2 as rpc
from rensou_recall.convert.fields import require_list, require_record_ref
from rensou_recall.convert.records import encode_metadata, encode_quote, encode_record
from rensou_recall.convert.scopes import decode_read_scope
from rensou_recall.types.call import Principal
from rensou_recall.types.contents import Contents, NodeRange, SelectedContent, Selector, SpanRange, Unresolved
from rensou_shared.domain import MAX_SELECTORS
from rensou_shared.errors import InvalidField
from rensou_shared.scope import ReadScope

_UNRESOLVED = {
    Unresolved.NOT_FOUND: rpc.UNRESOLVED_REASON_NOT_FOUND,
    Unresolved.NO_CURRENT_NODES: rpc.UNRESOLVED_REASON_NO_CURRENT_NODES,
    Unresolved.NODE_OUT_OF_RANGE: rpc.UNRESOLVED_REASON_NODE_OUT_OF_RANGE,
    Unresolved.SPAN_OUT_OF_RANGE: rpc.UNRESOLVED_REASON_SPAN_OUT_OF_RANGE,
    Unresolved.DEFERRED: rpc.UNRESOLVED_REASON_DEFERRED,
}


def decode_contents(request: rpc.GetContentsRequest, principal: Principal) -> tuple[ReadScope, list[Selector]]:
    """What may be read, and what is asked for.

    Raises:
        InvalidField, TooLarge, PermissionDenied: As their names say.
    """
    scope = decode_read_scope(request.scope, principal)
    require_list("selectors", request.selectors, MAX_SELECTORS, minimum=1)
    return scope, [_decode_selector(f"selectors[{i}]", one) for i, one in enumerate(request.selectors)]


def _decode_selector(path: str, selector: rpc.ContentSelector) -> Selector:
    ref = require_record_ref(f"{path}.ref", selector.ref)
    match selector.WhichOneof("part"):
        case "nodes":
            first, last = selector.nodes.first, selector.nodes.last
            if not 0 <= first <= last:
                raise InvalidField(f"{path}.nodes", "needs 0 <= first <= last")
            return Selector(ref, NodeRange(first, last))
        case "span":
            start, end = selector.span.start, selector.span.end
            if not 0 <= start < end:
                raise InvalidField(f"{path}.span", "needs 0 <= start < end")
            return Selector(ref, SpanRange(start, end))
        case _:
            return Selector(ref, None)


def encode_contents(contents: Contents) -> rpc.GetContentsResponse:
    """The texts, and the selectors that gave none."""
    return rpc.GetContentsResponse(
        items=[_encode_item(item) for item in contents.items],
        unresolved=[
            rpc.UnresolvedContent(selector=position, reason=_UNRESOLVED[reason])
            for position, reason in contents.unresolved
        ],
    )


def _encode_item(item: SelectedContent) -> rpc.ContentItem:
    full = item.full
    return rpc.ContentItem(
        selector=item.selector,
        record=encode_record(full.record),
        quote=encode_quote(item.quote),
        metadata=encode_metadata(full.metadata_json),
        content_sha256=full.content_sha256,
        node_count=len(full.nodes),
        caller_id=full.caller_id,
    )
