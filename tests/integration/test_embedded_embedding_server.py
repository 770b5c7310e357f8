"""The bundled embedding server as a process of its own, over HTTP."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import psutil
import pytest

from rensou_embedded.ports import pick_ports

TOKEN = "a token of ours"
LONG_ENGLISH = "The quick brown fox jumps over the lazy dog, and writes it down. " * 60
LONG_JAPANESE = "今日は天気がいいので、港まで歩いて行きました。" * 60
# Each of these becomes 18 characters inside the model: 6 times its bytes.
LIGATURES = "\ufdfa" * 2_000


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("embedding") / "log"


@pytest.fixture(scope="module")
def server(log: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = pick_ports({"embedding": None})["embedding"]
    command = (sys.executable, "-m", "rensou_embedded.embedding_server", "--port", str(port))
    with log.open("wb") as stderr:
        process = subprocess.Popen(command, stderr=stderr, env={**os.environ, "RENSOU_EMBEDDING_TOKEN": TOKEN})
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        assert process.wait(30) == 0


@pytest.fixture(scope="module")
def client(server: tuple[subprocess.Popen[bytes], str]) -> Iterator[httpx.Client]:
    process, base = server
    with httpx.Client(
        base_url=base, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120, trust_env=False
    ) as client:
        wait_until_healthy(client, process)
        yield client


def wait_until_healthy(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1_200):
        assert process.poll() is None
        try:
            answer = client.get("/health")
        except httpx.ConnectError:
            time.sleep(0.05)
            continue
        if answer.status_code == 200:
            return
        assert answer.status_code == 503
        time.sleep(0.05)
    raise AssertionError("the server was never healthy")


def embed(client: httpx.Client, texts: list[str], **fields: object) -> np.ndarray:
    answer = client.post("/embed", json={"texts": texts, **fields})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["dimensions"] == 384
    return np.array(body["embeddings"])


def measure(client: httpx.Client, text: str, side: str = "passage") -> dict[str, int]:
    answer = client.post("/count_tokens", json={"texts": [text], "side": side})
    assert answer.status_code == 200, answer.text
    return answer.json()["token_info"][0]


def test_the_log_says_where_it_listens_and_when_the_model_is_there(
    client: httpx.Client, server: tuple[subprocess.Popen[bytes], str], log: Path
) -> None:
    assert client.get("/health").status_code == 200
    said = log.read_text()
    assert f"listening on {server[1]}\n" in said
    assert "the model is loaded" in said


def test_vectors_are_unit_and_keep_the_order_of_the_texts(client: httpx.Client) -> None:
    texts = ["the harbour at night", "港の夜", "", "a recipe for bread"]
    together = embed(client, texts)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert (together == np.vstack([embed(client, [text]) for text in texts])).all()


def test_a_hundred_texts_are_answered_in_order(client: httpx.Client) -> None:
    texts = [f"entry {number}" for number in range(100)]
    together = embed(client, texts)
    assert together.shape == (100, 384)
    assert (together[[0, 57, 99]] == embed(client, ["entry 0", "entry 57", "entry 99"])).all()


def test_the_sides_differ_and_passage_is_the_default(client: httpx.Client) -> None:
    passage, query = (embed(client, ["harbour"], side=side) for side in ("passage", "query"))
    assert (embed(client, ["harbour"]) == passage).all()
    assert not np.allclose(passage, query)


def test_a_question_is_nearer_to_its_answer_than_to_another_text(client: httpx.Client) -> None:
    question = embed(client, ["where did the ship dock?"], side="query")[0]
    near, far = embed(client, ["The ship berthed at pier nine.", "Bread needs flour, water and salt."])
    assert question @ near > question @ far


@pytest.mark.parametrize("text", [LONG_ENGLISH, LONG_JAPANESE, LIGATURES, "x" * 9_000])
@pytest.mark.parametrize("side", ["passage", "query"])
def test_the_window_ends_at_the_longest_prefix_that_fits(client: httpx.Client, text: str, side: str) -> None:
    report = measure(client, text, side)
    end = report["window_end_char"]
    assert report["truncated"] and report["count"] > report["window"] == 512
    assert 0 < end < len(text)
    assert measure(client, text[:end], side)["count"] <= 512
    assert measure(client, text[:end], side)["window_end_char"] == end
    assert measure(client, text[: end + 8], side)["count"] > 512


@pytest.mark.parametrize("text", ["", "short", "港", " " * 5_000])
def test_a_text_that_fits_is_reported_whole(client: httpx.Client, text: str) -> None:
    report = measure(client, text)
    assert not report["truncated"] and report["window_end_char"] == len(text)


@pytest.mark.parametrize("text", [LONG_ENGLISH, LONG_JAPANESE])
def test_a_text_past_the_window_has_the_vector_of_its_window(client: httpx.Client, text: str) -> None:
    end = measure(client, text)["window_end_char"]
    assert (embed(client, [text]) == embed(client, [text[:end]])).all()


def test_characters_that_expand_do_not_harm_the_model(client: httpx.Client) -> None:
    assert np.isfinite(embed(client, [LIGATURES])).all()
    assert measure(client, "\ufdfa" * 40)["count"] == measure(client, "صلى الله عليه وسلم" * 40)["count"]


def test_token_info_comes_with_the_vectors_when_asked(client: httpx.Client) -> None:
    body = client.post("/embed", json={"texts": ["a", LONG_JAPANESE], "token_info": True}).json()
    assert [report["truncated"] for report in body["token_info"]] == [False, True]
    assert "token_info" not in client.post("/embed", json={"texts": ["a"]}).json()


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"{", "JSON"),
        (b"[]", "object"),
        (b'{"texts": []}', "texts"),
        (json.dumps({"texts": ["a"] * 101}).encode(), "100"),
        (b'{"texts": [7]}', "texts[0]"),
        (b'{"texts": ["a", "b\\u0000"]}', "texts[1]"),
        (b'{"texts": ["\\udc00"]}', "texts[0]"),
        (b'{"texts": ["a"], "token_info": "yes"}', "token_info"),
        (b'{"texts": ["a"], "side": "document"}', "side"),
    ],
)
@pytest.mark.parametrize("route", ["/embed", "/count_tokens"])
def test_a_body_that_breaks_the_contract_is_a_400(
    client: httpx.Client, route: str, body: bytes, complaint: str
) -> None:
    answer = client.post(route, content=body)
    assert answer.status_code == 400
    assert complaint in answer.json()["error"]


def test_a_body_over_the_limit_is_a_413(client: httpx.Client) -> None:
    answer = client.post("/embed", content=b'{"texts": ["' + b"x" * (8 * 1024 * 1024) + b'"]}')
    assert answer.status_code == 413
    assert "bytes" in answer.json()["error"]


@pytest.mark.parametrize(("method", "route", "status"), [("GET", "/nothing", 404), ("GET", "/embed", 405)])
def test_an_unknown_route_or_method_answers_in_the_contract_s_shape(
    client: httpx.Client, method: str, route: str, status: int
) -> None:
    answer = client.request(method, route)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])


@pytest.mark.parametrize("header", [None, "Bearer wrong", "Bearer é", f"Basic {TOKEN}", "Bearer"])
@pytest.mark.parametrize("route", ["/embed", "/count_tokens", "/capabilities", "/health"])
def test_every_route_asks_for_the_token(client: httpx.Client, route: str, header: str | None) -> None:
    headers = {} if header is None else {b"Authorization": header.encode("utf-8")}
    answer = httpx.request("POST", client.base_url.join(route), headers=headers, trust_env=False)
    assert (answer.status_code, answer.json()) == (401, {"error": "unauthorized"})
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_capabilities_name_the_model_and_a_stable_fingerprint(client: httpx.Client) -> None:
    first, second = (client.get("/capabilities").json() for _ in range(2))
    assert first == second
    assert first["identity"] | {"dimensions": 384, "window": 512, "normalized": True} == first["identity"]
    assert set(first["identity"]["digests"]) == {"graph", "tokenizer"}
    assert first["incomplete"] == []
    assert first["fingerprint"].startswith("1:") and len(first["fingerprint"]) == 66


def test_a_query_is_answered_while_a_long_batch_is_under_way(client: httpx.Client) -> None:
    with ThreadPoolExecutor(1) as thread:
        batch = thread.submit(embed, client, [LONG_ENGLISH] * 6)
        time.sleep(0.2)
        embed(client, ["where is everybody?"], side="query")
        assert not batch.done()
        assert len(batch.result()) == 6


def test_a_batch_that_its_client_gave_up_is_not_computed(
    client: httpx.Client, server: tuple[subprocess.Popen[bytes], str]
) -> None:
    with httpx.Client(base_url=client.base_url, headers=client.headers, timeout=0.5, trust_env=False) as impatient:
        with pytest.raises(httpx.ReadTimeout):
            impatient.post("/embed", json={"texts": [LONG_ENGLISH] * 100})
    # The turn that had begun is finished; all of it would take a minute of two cores.
    deadline = time.monotonic() + 25
    while cpu_seconds_within(server[0].pid, 0.5) > 0.1:
        assert time.monotonic() < deadline


def cpu_seconds_within(pid: int, wall_s: float) -> float:
    before = psutil.Process(pid).cpu_times()
    time.sleep(wall_s)
    after = psutil.Process(pid).cpu_times()
    return after.user + after.system - before.user - before.system
