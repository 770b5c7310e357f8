"""Retired records behind the items of an assembled answer."""

from collections.abc import Mapping
from dataclasses import replace

from rensou_recall.stages.excerpt import quote_start, withhold
from rensou_recall.types.evidence import Claim, Item, Reconstruction
from rensou_recall.types.far import FarList
from rensou_recall.types.records import Quote, StoredRecord
from rensou_recall.types.standing import Standing
from rensou_shared.ids import RecordId

_QUOTE_CHARS = 400


def add_far_items(
    answer: Reconstruction, far: FarList, standings: Mapping[RecordId, Standing], *, include_replaced: bool
) -> Reconstruction:
    """The answer with an item for each held record, quoted from its start as far as the budget has something left.

    Of a replaced one the text is withheld, unless it is to be included, like that of any other. Nothing that stands in
    the answer changes: neither its items, nor their quotes, nor why there are not more.
    """
    used = answer.used_budget_chars
    items: list[Item] = []
    for held in far.held:
        left = max(answer.effective_budget_chars - used, 0)
        standing, record = standings.get(held.record_id), far.records[held.record_id]
        is_withheld = standing is not None and standing.is_replaced and not include_replaced
        quote = withhold(record.content) if is_withheld else quote_start(record.content, min(left, _QUOTE_CHARS))
        item = _item(record, quote, standing)
        used += len(item.quote.content)
        items.append(item)
    return replace(answer, items=(*answer.items, *items), used_budget_chars=used, far=far)


def _item(record: StoredRecord, quote: Quote, standing: Standing | None) -> Item:
    claim = Claim(record.ref, record.occurred_at, "seed", None, (), standing=standing, validity=record.validity)
    return Item(record.ref, quote, (claim,), "singleton", 0, 0, retired=True)
