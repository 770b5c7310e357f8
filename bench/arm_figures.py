"""The figures of the measurement of associations, by arm and by type of question."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from matplotlib.figure import Figure

from reconstructed import Answer, WalkedClaim, share
from rensou_embedded.conversations import ConversationQuestion

CONTROL = "control"
ALL = "all"
_HEADER = (
    "questions",
    "arm",
    "count",
    "in the pool",
    "placed",
    "claimed",
    "by chance",
    "quoted",
    "walked a question",
    "evidence of them",
    "claimed more",
    "quoted more",
    "quoted less",
    "heads moved",
    "placed moved",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: Recall's first 20, each arm's answer, whether the control's was the same bytes without a graph."""

    conversation: str
    question: ConversationQuestion
    pool: frozenset[str]
    answers: dict[str, Answer]
    identical: bool
    turns: int
    """How many the conversation has."""

    def part(self, arm: str, of: Callable[[Answer], Iterable[str]]) -> float:
        """The share of the question's evidence in that part of the arm's answer."""
        return share(of(self.answers[arm]), self.question.evidence)

    def by_chance(self, arm: str) -> float:
        """The share expected to be claimed, had the walk drawn as many turns at random among those not placed."""
        answer = self.answers[arm]
        others = self.turns - len(answer.retrieved)
        placed = share(answer.retrieved, self.question.evidence)
        return placed + (1 - placed) * len(answer.walked) / others if others else placed

    def reached(self, arm: str) -> list[WalkedClaim]:
        """What the walk brought that is the question's evidence."""
        return [claim for claim in self.answers[arm].walked if claim.turn in self.question.evidence]


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """One arm over some questions: mean shares of their evidence, and how many questions moved against the control."""

    count: int
    pool: float
    placed: float
    claimed: float
    by_chance: float
    quoted: float
    walked: float
    walked_evidence: float
    claimed_more: int
    quoted_more: int
    quoted_less: int
    heads_moved: int
    placed_moved: int

    def cells(self) -> tuple[object, ...]:
        """For the table; shares in per cent."""
        shares = (f"{100 * value:.1f}" for value in (self.pool, self.placed, self.claimed, self.by_chance, self.quoted))
        moved = (self.claimed_more, self.quoted_more, self.quoted_less, self.heads_moved, self.placed_moved)
        return (self.count, *shares, f"{self.walked:.1f}", f"{100 * self.walked_evidence:.1f} %", *moved)


def arm_figures(asked: Sequence[Asked], arm: str) -> ArmFigures:
    """The figures of `arm` over `asked`, of which there is one at least."""
    walked = [claim for one in asked for claim in one.answers[arm].walked]
    right = sum(len(one.reached(arm)) for one in asked)

    def moved(of: Callable[[Asked, str], Any], rose: Callable[[Any, Any], bool]) -> int:
        return sum(rose(of(one, arm), of(one, CONTROL)) for one in asked)

    return ArmFigures(
        count=len(asked),
        pool=mean(share(one.pool, one.question.evidence) for one in asked),
        placed=mean(one.part(arm, _retrieved) for one in asked),
        claimed=mean(_claimed(one, arm) for one in asked),
        by_chance=mean(one.by_chance(arm) for one in asked),
        quoted=mean(_quoted(one, arm) for one in asked),
        walked=len(walked) / len(asked),
        walked_evidence=right / len(walked) if walked else 0.0,
        claimed_more=moved(_claimed, lambda now, before: now > before),
        quoted_more=moved(_quoted, lambda now, before: now > before),
        quoted_less=moved(_quoted, lambda now, before: now < before),
        heads_moved=moved(lambda one, name: one.answers[name].heads, lambda now, before: now != before),
        placed_moved=moved(lambda one, name: one.answers[name].placed, lambda now, before: now != before),
    )


def _retrieved(answer: Answer) -> frozenset[str]:
    return answer.retrieved


def _claimed(one: Asked, arm: str) -> float:
    return one.part(arm, lambda answer: answer.claimed)


def _quoted(one: Asked, arm: str) -> float:
    return one.part(arm, lambda answer: answer.quoted)


def groups(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    """All questions, each type, and those with one evidence and with several."""
    of: dict[str, list[Asked]] = {ALL: list(asked)}
    for category in sorted({one.question.category for one in asked}):
        of[category] = [one for one in asked if one.question.category == category]
    of["one evidence"] = [one for one in asked if len(one.question.evidence) == 1]
    of["several evidence"] = [one for one in asked if len(one.question.evidence) > 1]
    return {name: chosen for name, chosen in of.items() if chosen}


def arms(asked: Sequence[Asked]) -> list[str]:
    """The control first."""
    return list(asked[0].answers)


def table_of(asked: Sequence[Asked]) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    """Header and rows: each group of questions under each arm."""
    rows = [
        (group, arm, *arm_figures(chosen, arm).cells())
        for group, chosen in groups(asked).items()
        for arm in arms(asked)
    ]
    return _HEADER, rows


def rows_of_items(asked: Sequence[Asked]) -> tuple[Sequence[str], list[tuple[object, ...]]]:
    """Header and rows: each item to which the walk brought evidence; ids and positions alone."""
    header = (
        "arm",
        "conversation",
        "question",
        "type",
        "item",
        "head",
        "head right",
        "reached",
        "hops",
        "by",
        "quoted",
    )
    rows = [
        (
            arm, one.conversation, one.question.id, one.question.category, claim.position, claim.head,
            _yes(claim.head in one.question.evidence), claim.turn, claim.hops, claim.why, _yes(claim.quoted),
        )
        for arm in arms(asked)
        for one in asked
        for claim in one.reached(arm)
    ]  # fmt: skip
    return header, rows


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def figures_of(asked: Sequence[Asked], conversations: int) -> dict[str, Any]:
    """The figures of the JSON line."""
    figures: dict[str, Any] = {
        "conversations": conversations,
        "questions": len(asked),
        "control_identical": sum(one.identical for one in asked),
    }
    for arm in arms(asked):
        everything = arm_figures(asked, arm)
        figures[arm] = {
            "claimed": round(everything.claimed, 4),
            "quoted": round(everything.quoted, 4),
            "walked_evidence": round(everything.walked_evidence, 4),
            "heads_moved": everything.heads_moved,
            "placed_moved": everything.placed_moved,
        }
        for group, chosen in groups(asked).items():
            if group != ALL:
                own = arm_figures(chosen, arm)
                figures[arm][group] = {"claimed": round(own.claimed, 4), "quoted": round(own.quoted, 4)}
    return figures


def draw(asked: Sequence[Asked]) -> Figure:
    """Evidence claimed and quoted by type of question, a bar an arm."""
    figure = Figure(figsize=(11, 6))
    grouped = groups(asked)
    for place, (title, of) in enumerate((("claimed", _claimed), ("quoted", _quoted)), 1):
        axes = figure.add_subplot(2, 1, place)
        names = arms(asked)
        for shift, arm in enumerate(names):
            heights = [mean(of(one, arm) for one in chosen) for chosen in grouped.values()]
            axes.bar([at + shift / (len(names) + 1) for at in range(len(grouped))], heights, 0.15, label=arm)
        axes.set_xticks([at + 0.33 for at in range(len(grouped))], list(grouped))
        axes.set_ylabel(f"evidence {title}")
        axes.legend(fontsize=7, ncols=len(names))
    figure.tight_layout()
    return figure
