"""One call: who makes it, and until when it may take."""

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from rensou_shared.errors import DeadlineExceeded, PermissionDenied
from rensou_shared.ids import AgentId

ANY_AGENT = "*"


@dataclass(frozen=True, slots=True)
class Principal:
    """Whom a credential names.

    Attributes:
        name: For logs; never the secret.
        agents: The agents that it may read and write; "*" is every agent.
        operator: Declarations of an operator are marked so; some methods are for operators alone.
    """

    name: str
    agents: frozenset[str]
    operator: bool

    @property
    def declares_as(self) -> Literal["agent", "operator"]:
        """Who a declaration made with this credential comes from."""
        return "operator" if self.operator else "agent"

    @property
    def names_one_agent(self) -> bool:
        """Whether a call need not say which agent it is about."""
        return len(self.agents) == 1 and ANY_AGENT not in self.agents

    def agent(self, requested: str) -> AgentId:
        """The agent of a call that names `requested` ('' when the credential names exactly one).

        Raises:
            PermissionDenied: The credential does not name that agent.
        """
        if requested == "" and self.names_one_agent:
            return AgentId(next(iter(self.agents)))
        if requested in self.agents or ANY_AGENT in self.agents:
            return AgentId(requested)
        raise PermissionDenied("the credential does not reach this agent")


@dataclass(frozen=True, slots=True)
class Call:
    """A call in progress.

    Attributes:
        principal: Who calls.
        deadline_at: When it must have ended, in the event loop's time, seconds.
    """

    principal: Principal
    deadline_at: float

    def remaining_s(self) -> float:
        """Seconds left.

        Raises:
            DeadlineExceeded: None are.
        """
        remaining = self.deadline_at - asyncio.get_running_loop().time()
        if remaining <= 0:
            raise DeadlineExceeded("the deadline passed")
        return remaining


_CURRENT: ContextVar[Call] = ContextVar("rensou_call")


def enter_call(call: Call) -> None:
    """Makes `call` the one that the running task answers."""
    _CURRENT.set(call)


def current_call() -> Call:
    """The call that the running task answers.

    Raises:
        LookupError: The task answers none.
    """
    return _CURRENT.get()
