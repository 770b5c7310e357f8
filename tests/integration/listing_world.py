"""The lists of a small world, as tests ask for them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from rensou_recall.pipelines.listing import list_contradiction_candidates, list_entities, list_relations
from rensou_recall.types.listing import (
    CandidateListing,
    ContradictionCandidate,
    EntityEnd,
    EntityListing,
    ListedEntity,
    ListedRelation,
    Page,
    PageRequest,
    RelationListing,
)
from rensou_shared.ids import RecordRef
from rensou_shared.scope import ReadScope
from tests.integration.graph import AGENT, Graph

EVERYTHING = ReadScope(AGENT)
WHOLE = PageRequest(100, "")


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of one database; it stands where a pipeline asks for `Deps`."""

    graph: Graph
    page_key: bytes = b"k" * 32

    @property
    def database(self) -> Any:
        return self.graph.database

    async def relations(
        self, scope: ReadScope = EVERYTHING, end: Any = None, predicate: str = "", page: PageRequest = WHOLE
    ) -> Page[ListedRelation]:
        deps: Any = self
        return await list_relations(deps, self.graph.call(), RelationListing(scope, end, predicate, page))

    async def entities(
        self, scope: ReadScope = EVERYTHING, name: str = "", record: RecordRef | None = None, page: PageRequest = WHOLE
    ) -> Page[ListedEntity]:
        deps: Any = self
        return await list_entities(deps, self.graph.call(), EntityListing(scope, name, record, page))

    async def candidates(
        self, scope: ReadScope = EVERYTHING, page: PageRequest = WHOLE
    ) -> Page[ContradictionCandidate]:
        deps: Any = self
        return await list_contradiction_candidates(deps, self.graph.call(), CandidateListing(scope, page))


async def turn(list_page: Callable[..., Awaitable[Page[Any]]], size: int, **asked: Any) -> list[Any]:
    """Every item, in pages of a size; each page but the last one is full."""
    items: list[Any] = []
    token = ""
    while True:
        page = await list_page(**asked, page=PageRequest(size, token))
        items += page.items
        assert 0 < len(page.items) <= size or (not items and not page.next_token)
        if not page.next_token:
            return items
        assert len(page.items) == size
        token = page.next_token


def written(found: Page[ListedRelation]) -> list[tuple[str, str, str]]:
    return [(name_of(one.subject), one.predicate, name_of(one.object)) for one in found.items]


def name_of(end: EntityEnd | RecordRef) -> str:
    return str(end) if isinstance(end, RecordRef) else end.name
