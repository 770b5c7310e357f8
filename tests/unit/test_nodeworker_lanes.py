"""Many at once, or one alone."""

import asyncio

from rensou_nodeworker.pipelines.lanes import Lanes


class Watch:
    """Who is inside together."""

    def __init__(self) -> None:
        self.inside: set[str] = set()
        self.seen: list[frozenset[str]] = []

    async def stay(self, name: str, turns: int = 3) -> None:
        self.inside.add(name)
        for _ in range(turns):
            self.seen.append(frozenset(self.inside))
            await asyncio.sleep(0)
        self.inside.remove(name)


async def test_who_shares_is_inside_together_and_who_is_alone_is_alone() -> None:
    lanes, watch = Lanes(), Watch()

    async def share(name: str) -> None:
        async with lanes.shared():
            await watch.stay(name)

    async def alone(name: str) -> None:
        async with lanes.alone():
            await watch.stay(name)

    await asyncio.wait_for(asyncio.gather(share("a"), share("b"), alone("x"), share("c"), alone("y")), 5)
    assert frozenset("ab") in watch.seen
    assert all(len(names) == 1 for names in watch.seen if names & {"x", "y"})


async def test_who_wants_to_be_alone_goes_before_who_comes_later() -> None:
    lanes, order = Lanes(), []

    async def alone() -> None:
        async with lanes.alone():
            order.append("alone")

    async def share() -> None:
        async with lanes.shared():
            order.append("shared")

    async with lanes.shared():
        waiting = [asyncio.create_task(alone())]
        await asyncio.sleep(0)
        waiting.append(asyncio.create_task(share()))
        await asyncio.sleep(0)
    await asyncio.wait_for(asyncio.gather(*waiting), 5)
    assert order == ["alone", "shared"]


async def test_who_gives_up_waiting_leaves_the_way_free() -> None:
    lanes = Lanes()
    async with lanes.shared():
        waiting = asyncio.create_task(lanes.alone().__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})

        async def share() -> None:
            async with lanes.shared():
                return

        await asyncio.wait_for(share(), 5)
