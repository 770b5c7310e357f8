"""A list that a caller sent: the paths of its items, and what lies past its bound."""

from collections.abc import Iterator
from dataclasses import dataclass

from rensou_recall.types.declaration import Drop, ItemPath
from rensou_recall.types.graph import DropReason


@dataclass(frozen=True, slots=True)
class ItemList:
    """Where a list stands in the declaration, how it is worded, how many items it may hold."""

    order: tuple[int, ...]
    text: str
    bound: int

    def path(self, index: int) -> ItemPath:
        """The path of the item at `index`."""
        return ItemPath((*self.order, index), f"{self.text}[{index}]")

    def beyond(self, count: int) -> Iterator[Drop]:
        """One drop an item past the bound; past twice the bound one for all the rest, worded as a half-open range."""
        for index in range(self.bound, min(count, 2 * self.bound)):
            yield Drop(self.path(index), DropReason.BEYOND_BOUND)
        if count > 2 * self.bound:
            first = 2 * self.bound
            path = ItemPath((*self.order, first), f"{self.text}[{first}:{count}]")
            yield Drop(path, DropReason.BEYOND_BOUND)
