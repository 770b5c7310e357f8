"""Long records divided by the worker's own process through each kind of embedding server."""

from pathlib import Path

import pytest

from tests.integration.nodeworker_world import World, whole
from tests.unit.lying_embedding_server import says
from tests.unit.real_embedding_servers import KINDS, MODEL, WINDOW, serve
from tests.unit.toy_tokenizer import count_tokens, toy_tokenizer

LONG = (
    "The key is under the mat by the door.\r\nThe tea pot 🫖 is on the shelf. 明日は京都で会議がある。鍵は玄関の"
    "マットの下にある。 e\u0301e\u0301e\u0301 " + "kettle" * 30 + "👨‍👩‍👧‍👦" * 8
) * 3

SETTINGS: dict[str, dict[str, str]] = {
    "tei": {},
    "vllm": {"RENSOU_EMBEDDING_MODEL": MODEL},
    "llamacpp": {"RENSOU_EMBEDDING_WINDOW": str(WINDOW)},
    "openai": {"RENSOU_EMBEDDING_MODEL": MODEL, "RENSOU_EMBEDDING_WINDOW": str(WINDOW)},
}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_long_record_is_divided_through_a_server_of_each_kind(world: World, kind: str, tmp_path: Path) -> None:
    more = {"RENSOU_EMBEDDING_KIND": kind} | SETTINGS[kind]
    if kind == "openai":  # shows no tokens: those of the model's own tokenizer
        toy_tokenizer().save(str(tmp_path / "tokenizer.json"))
        more["RENSOU_EMBEDDING_TOKENIZER"] = str(tmp_path / "tokenizer.json")
    record = await world.record(LONG)
    async with serve(kind) as server:
        # A busy server first: the build is repeated.
        server.script = [says({"error": "Model is overloaded", "error_type": "Overloaded"}, 429)]
        async with world.process(RENSOU_EMBEDDING_URL=server.url, **more):
            assert (await world.becomes(record, "done"))[3] is None
    spans = await world.nodes(record)
    assert whole(spans, LONG) and len(spans) > 5
    assert all(count_tokens(LONG[start:end]) <= WINDOW for start, end in spans)
    assert await world.run("SELECT DISTINCT token_window FROM record_nodes") == [(WINDOW,)]
    assert await world.vectors(record) == [(count_tokens(LONG), "chat")]


async def test_a_server_that_shows_no_tokens_gives_the_vector_and_no_nodes(world: World) -> None:
    record = await world.record("The pot.")
    async with serve("openai") as server:
        more = {"RENSOU_EMBEDDING_KIND": "openai", "RENSOU_EMBEDDING_MODEL": MODEL}
        async with world.process(RENSOU_EMBEDDING_URL=server.url, **more):
            await world.becomes(record, "done")
    assert await world.vectors(record) == [(None, "chat")] and await world.nodes(record) == []
