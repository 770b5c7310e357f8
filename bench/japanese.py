"""A small Japanese set of ours through the public door, against a plain index of character trigrams. Last line: JSON.

Queries of one and two characters, half-width katakana, decomposed kana (NFD), names, kanji compounds, Latin inside
Japanese, other spellings of katakana, questions; default request, bundled model. `recall@10` is by kind,
`short_recall@10` that of one and two characters together. The baseline ranks by BM25 (k1 1.2, b .75) over the
trigrams of the composed, case-folded text (NFKC) without white space: what a trigram index gives at its best.
Writes bench/results/japanese.md and .png.
"""

import asyncio
import json
import os
import sys
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from matplotlib.figure import Figure

from plain_bm25 import PlainBm25
from rensou.v1 import recall_service_pb2 as rpc
from rensou.v1 import types_pb2 as pb
from rensou_embedded.client import RensouClient
from rensou_embedded.console import Console
from rensou_embedded.demo_store import store_all
from rensou_embedded.errors import StackError
from rensou_embedded.evaluation import TOP, score
from rensou_embedded.settings import clean_environ
from rensou_embedded.stack import EmbeddedStack, StackOptions
from results import save_plot, save_table

AGENT = "bench-japanese"
SHORT = ("one_char", "two_chars")
_SET = Path(__file__).parent / "japanese" / "set.json"
_TIMEOUT_S = 60
_GRAM = 3


@dataclass(frozen=True, slots=True)
class Query:
    """A query, what kind it is of, and the ids of the records that it must find."""

    kind: str
    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """NDCG@10 and recall@10 of one query, ours and the baseline's; shares between 0 and 1."""

    kind: str
    ndcg: float
    recall: float
    trigram_ndcg: float
    trigram_recall: float


def load_set(path: Path = _SET) -> tuple[dict[str, str], tuple[Query, ...]]:
    """The records' texts by id, and the queries."""
    root = json.loads(path.read_text(encoding="utf-8"))
    records = {one["id"]: one["text"] for one in root["records"]}
    queries = tuple(Query(one["kind"], one["query"], frozenset(one["evidence"])) for one in root["queries"])
    return records, queries


def trigrams(text: str) -> list[str]:
    """The character trigrams; none of a text of one or two characters, as in such an index."""
    dense = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    return [dense[start : start + _GRAM] for start in range(len(dense) - _GRAM + 1)]


def rank_by_trigrams(records: Mapping[str, str], queries: Sequence[Query]) -> list[list[str]]:
    """What the trigram index finds for each query, best first."""
    ids, index = list(records), PlainBm25([trigrams(text) for text in records.values()])
    found: list[list[str]] = []
    for query in queries:
        scores = index.scores(trigrams(query.text))
        order = sorted((-scores[row], row) for row in range(len(ids)) if scores[row] > 0)
        found.append([ids[row] for _, row in order[:TOP]])
    return found


async def recall_all(records: Mapping[str, str], queries: Sequence[Query], data_dir: Path) -> list[list[str]]:
    """What a fresh stack recalls for each query, best first."""
    stack = EmbeddedStack(StackOptions(data_dir, clean_environ(os.environ), grpc_port=0), Console())
    await stack.start()
    try:
        async with RensouClient(stack.grpc_address) as client:
            refs = await store_all(client, [_store_request(text) for text in records.values()])
            id_of = dict(zip(refs, records, strict=True))
            return [await _recall(client, query, id_of) for query in queries]
    finally:
        await stack.stop()


def _store_request(text: str) -> rpc.StoreRequest:
    return rpc.StoreRequest(scope=pb.WriteScope(agent_id=AGENT), memory=rpc.MemoryContent(content=text))


async def _recall(client: RensouClient, query: Query, id_of: Mapping[str, str]) -> list[str]:
    request = rpc.RecallRequest(scope=pb.ReadScope(agent_id=AGENT), query=query.text)
    response = await client.recall.Recall(request, timeout=_TIMEOUT_S)
    if response.HasField("degradation"):
        raise StackError(f"recall had to do without: {response.degradation}")
    return [id_of[hit.record.ref] for hit in response.hits]


def by_kind(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The outcomes of each kind, in the order of the set."""
    grouped: dict[str, list[Outcome]] = {}
    for one in outcomes:
        grouped.setdefault(one.kind, []).append(one)
    return grouped


def report(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Saves the table and the plot, prints the table; the figures."""
    grouped = by_kind(outcomes) | {"all": list(outcomes)}
    header = ("kind", "queries", "recall@10", "recall@10 of trigrams", "NDCG@10", "NDCG@10 of trigrams")
    rows = [
        (
            kind,
            len(of),
            *(
                f"{mean(values):.3f}"
                for values in (
                    [one.recall for one in of],
                    [one.trigram_recall for one in of],
                    [one.ndcg for one in of],
                    [one.trigram_ndcg for one in of],
                )
            ),
        )
        for kind, of in grouped.items()
    ]
    print(save_table("japanese", "Japanese, against a trigram index", header, rows).read_text(encoding="utf-8"))
    save_plot("japanese", draw(grouped))
    return {
        "queries": len(outcomes),
        "ndcg@10": round(mean(one.ndcg for one in outcomes), 4),
        "recall@10": {kind: round(mean(one.recall for one in of), 4) for kind, of in grouped.items()},
        "short_recall@10": round(mean(one.recall for one in outcomes if one.kind in SHORT), 4),
        "trigram_recall@10": {kind: round(mean(one.trigram_recall for one in of), 4) for kind, of in grouped.items()},
    }


def draw(grouped: Mapping[str, Sequence[Outcome]]) -> Figure:
    """Recall@10 by kind, ours beside the trigram index."""
    figure = Figure(figsize=(9, 4))
    axes = figure.subplots()
    places = range(len(grouped))
    ours = [mean(one.recall for one in of) for of in grouped.values()]
    theirs = [mean(one.trigram_recall for one in of) for of in grouped.values()]
    axes.bar([place - 0.2 for place in places], ours, 0.4, label="Rensou")
    axes.bar([place + 0.2 for place in places], theirs, 0.4, label="trigram index")
    axes.set_xticks(list(places), list(grouped), rotation=30, ha="right")
    axes.set_ylabel("recall@10")
    axes.legend(loc="lower right")
    return figure


def main() -> int:
    """0 with the figures on the last line; 1 with a message."""
    records, queries = load_set()
    with tempfile.TemporaryDirectory(prefix="rensou-bench-") as folder:
        Path(folder).chmod(0o711)
        try:
            ours = asyncio.run(recall_all(records, queries, Path(folder, "data")))
        except StackError as error:
            print(f"bench-japanese: {error}", file=sys.stderr)
            return 1
    outcomes = [
        Outcome(query.kind, *score(mine, query.evidence)[:2], *score(theirs, query.evidence)[:2])
        for query, mine, theirs in zip(queries, ours, rank_by_trigrams(records, queries), strict=True)
    ]
    print(json.dumps(report(outcomes)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
