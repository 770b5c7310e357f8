"""Who may see what: the agent is a wall, project and channel are unions with their empty value."""

from dataclasses import dataclass
from datetime import datetime

from rensou_shared.ids import AgentId


@dataclass(frozen=True, slots=True)
class WriteScope:
    """Whom a record or a declaration belongs to; '' is the global pool, and no channel."""

    agent_id: AgentId
    project_id: str
    channel: str


@dataclass(frozen=True, slots=True)
class ReadScope:
    """What a call may read.

    Attributes:
        agent_id: Exactly this agent.
        project_id: None reads every project, '' the global pool alone, X the project and the global pool.
        channel: '' reads every channel, X the channel and what has none.
        source_id: '' filters nothing; ending in a letter or digit it is compared whole, otherwise as a prefix.
        known_at: What was known then (aware), and nothing that was learned later; None reads what stands.
    """

    agent_id: AgentId
    project_id: str | None = None
    channel: str = ""
    source_id: str = ""
    known_at: datetime | None = None

    @property
    def source_is_prefix(self) -> bool:
        """Whether `source_id` names a namespace ("discord:") rather than one source."""
        return self.source_id != "" and not self.source_id[-1].isalnum()

    def reads(self, project_id: str, channel: str) -> bool:
        """Whether a row of that project and channel is readable."""
        in_project = self.project_id is None or project_id in (self.project_id, "")
        return in_project and (self.channel == "" or channel in (self.channel, ""))


def scope_params(scope: ReadScope) -> dict[str, str | bool | None]:
    """The scope as the parameters that every reading statement takes."""
    return {
        "agent_id": scope.agent_id,
        "project_id": scope.project_id,
        "channel": scope.channel,
        "source_id": scope.source_id,
        "source_is_prefix": scope.source_is_prefix,
    }
