"""The walk in the database against a search written down naively."""

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from rensou_recall.store.traverse import walk
from rensou_shared.ids import EntityId
from rensou_shared.scope import ReadScope
from tests.conftest import DatabaseDsns
from tests.integration.graph import AGENT, TIMEOUT_S, Graph, open_graph

EVERYTHING = ReadScope(AGENT)


@pytest.fixture
async def graph(database_dsns: DatabaseDsns) -> AsyncIterator[Graph]:
    async with open_graph(database_dsns.recall) as opened:
        yield opened


@dataclass(frozen=True)
class _World:
    """A random graph as plain lists: (id, project, channel), (from, to, project, channel, declared second, id)."""

    entities: list[tuple[int, str, str]]
    edges: list[tuple[int, int, str, str, int, int]]

    def reference(
        self, scope: ReadScope, starts: list[int], max_hops: int, limit: int
    ) -> tuple[list[list[int]], int, bool]:
        """A breadth-first search written down naively: levels, entities cut, whether a relation is left unfollowed."""
        visible = {number for number, project, channel in self.entities if scope.reads(project, channel)}
        edges = [
            (a, b, second, number)
            for one, other, project, channel, second, number in self.edges
            if scope.reads(project, channel)
            for a, b in ((one, other), (other, one))
            if b in visible
        ]
        levels, returned, cut = [starts], list(starts), 0
        for _ in range(max_hops):
            best: dict[int, tuple[int, int]] = {}
            for a, b, second, number in edges:
                if a in levels[-1] and b not in returned:
                    best[b] = min(best.get(b, (1, 0)), (-second, number))
            order = sorted(best, key=lambda entity: (best[entity], entity))
            kept = order[: limit - len(returned)]
            returned, cut = returned + kept, len(order) - len(kept)
            levels.append(kept)
            if cut or not kept:
                break
        at_bound = levels[max_hops] if len(levels) == max_hops + 1 else []
        unfollowed = any(a in at_bound and b not in returned for a, b, _, _ in edges)
        return [level for level in levels if level], cut, unfollowed


async def _random_world(graph: Graph, chance: random.Random) -> _World:
    places = [("", ""), ("P", ""), ("Q", ""), ("P", "C"), ("", "D")]
    world = _World([], [])
    for number in range(chance.randint(2, 12)):
        place = chance.choice(places)
        ((entity,),) = await graph.run(
            b"INSERT INTO entities (agent_id, project_id, channel, name, declared_by)"
            b" VALUES ('ann', %(project)s, %(channel)s, %(name)s, 'agent') RETURNING id",
            project=place[0],
            channel=place[1],
            name=str(number),
        )
        world.entities.append((entity, *place))
    numbers = [entity for entity, _, _ in world.entities]
    for number in range(chance.randint(1, 40)):
        one, other = chance.sample(numbers, 2)
        place, second = chance.choice(places), chance.randint(1, 6)
        ((relation,),) = await graph.run(
            b"INSERT INTO relations (agent_id, project_id, channel, subject_entity, predicate, normalized_predicate,"
            b" object_entity, declared_by, declared_at) VALUES ('ann', %(project)s, %(channel)s, %(one)s, %(name)s,"
            b" %(name)s, %(other)s, 'agent', '2026-01-01Z'::timestamptz + %(second)s * interval '1 second')"
            b" RETURNING id",
            project=place[0],
            channel=place[1],
            one=one,
            other=other,
            name=str(number),
            second=second,
        )
        world.edges.append((one, other, *place, second, relation))
    for gone in chance.sample(world.edges, len(world.edges) // 5):
        await graph.run(b"DELETE FROM relations r WHERE r.id = %(id)s", id=gone[5])
        world.edges.remove(gone)
    return world


@pytest.mark.parametrize("seed", range(6))
async def test_a_walk_equals_a_naive_search(graph: Graph, seed: int) -> None:
    chance = random.Random(seed)
    scopes = [
        EVERYTHING,
        ReadScope(AGENT, "P"),
        ReadScope(AGENT, ""),
        ReadScope(AGENT, "P", "C"),
        ReadScope(AGENT, channel="D"),
    ]
    world = await _random_world(graph, chance)
    cut_somewhere = False
    for _ in range(60):
        scope, max_hops, limit = chance.choice(scopes), chance.randint(0, 5), chance.choice([1, 2, 3, 5, 20])
        visible = sorted(number for number, *place in world.entities if scope.reads(*place))
        if not visible:
            continue
        starts = sorted(chance.sample(visible, min(len(visible), chance.choice([1, 1, 2]), limit)))
        levels, cut, unfollowed = world.reference(scope, starts, max_hops, limit)
        async with graph.database.transaction(AGENT, TIMEOUT_S) as connection:
            found = await walk(connection, scope, [EntityId(start) for start in starts], max_hops, limit)
        assert [list(level) for level in found.levels] == levels, (scope, starts, max_hops, limit)
        assert (found.omitted > 0, found.unfollowed) == (cut > 0, unfollowed)
        assert found.omitted <= cut and (found.omitted == cut or 2 * limit < len(world.entities))
        cut_somewhere = cut_somewhere or cut > 0
    assert cut_somewhere
