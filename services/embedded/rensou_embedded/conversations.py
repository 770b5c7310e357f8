"""Real conversations with questions about them, from a JSON file of the caller's.

    {"conversations": [{"id", "records": [{"id", "session", "time", "speaker", "text"}],
                        "questions": [{"id", "category", "question", "evidence": [record id, …]}]}]}

Ids, session and category are strings or whole numbers; times are RFC 3339 with an offset; a question names at least one
record as evidence, and the file asks at least one question. Further fields are read by nothing.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rensou_embedded.demo_json import JsonNode, parse_json
from rensou_embedded.demo_worklog import DemoFormatError, parse_offset_time


@dataclass(frozen=True, slots=True)
class Turn:
    """One record of a conversation."""

    id: str
    session: str
    occurred_at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class ConversationQuestion:
    """A question, and the ids of the records that answer it."""

    id: str
    category: str
    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Records in their order, and the questions about them."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[ConversationQuestion, ...]


def load_conversations(path: Path) -> tuple[Conversation, ...]:
    """The conversations of the file.

    Raises:
        DemoFormatError: The file cannot be read or breaks the form; the message names the place.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DemoFormatError(str(path), "file", str(error)) from error
    root = parse_json(text, path.name)
    conversations = tuple(_conversation(node) for node in root.get("conversations").items())
    if not any(one.questions for one in conversations):
        raise root.get("conversations").error("asks no question: there is nothing to measure")
    return conversations


def _conversation(node: JsonNode) -> Conversation:
    turns = tuple(_turn(one) for one in node.get("records").items())
    known = {turn.id for turn in turns}
    questions = tuple(_question(one, known) for one in node.get("questions").items())
    return Conversation(_scalar(node.get("id")), turns, questions)


def _turn(node: JsonNode) -> Turn:
    time = node.get("time")
    try:
        occurred_at = parse_offset_time(time.text())
    except ValueError as error:
        raise time.error(str(error)) from error
    session = _scalar(node.get("session"))
    speaker, text = node.get("speaker").verbatim(), node.get("text").verbatim()
    return Turn(_scalar(node.get("id")), session, occurred_at, speaker, text)


def _question(node: JsonNode, known: set[str]) -> ConversationQuestion:
    evidence = node.get("evidence")
    ids = [_scalar(one) for one in evidence.items()]
    if not ids or not set(ids) <= known:
        raise evidence.error("must name records of the conversation")
    return ConversationQuestion(
        _scalar(node.get("id")), _scalar(node.get("category")), node.get("question").verbatim(), frozenset(ids)
    )


def _scalar(node: JsonNode) -> str:
    """A string, or a whole number as one."""
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return str(node.value)
    return node.text()
