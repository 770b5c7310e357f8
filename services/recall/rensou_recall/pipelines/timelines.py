"""Timelines of items: what an answer says of claims that replace or precede each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rensou_recall.stages.timeline import may_have_timeline, told_in_time
from rensou_recall.store.validity import load_caller_id_groups
from rensou_recall.types.evidence import Draft, EvidenceTraits, RecordLink
from rensou_shared.db.pool import Connection
from rensou_shared.ids import AgentId, RecordId


async def add_timelines(
    connection: Connection,
    agent_id: AgentId,
    drafts: Sequence[Draft],
    links: Sequence[RecordLink],
    traits: Mapping[RecordId, EvidenceTraits],
) -> tuple[Draft, ...]:
    """The drafts with their timelines; where nothing is asserted, nothing is read and nothing changes."""
    told = [draft for draft in drafts if may_have_timeline(draft)]
    if not told:
        return tuple(drafts)
    claims = sorted({claim.ref.id for draft in told for claim in draft.claims})
    groups = await load_caller_id_groups(connection, agent_id, claims)
    return tuple(
        replace(draft, timeline=told_in_time(draft, links, groups, traits)) if may_have_timeline(draft) else draft
        for draft in drafts
    )
