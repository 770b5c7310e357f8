-- Asks for dead builds again, by the definer function.
-- in:  agents text[] or NULL (all), first_agent and last_agent (of them), ids bigint[] or NULL (any dead one), keep (at most)
-- out: agent_id, id, kind, record_id, rebuild, outcome (queued, superseded, not_dead), by agent and id
-- uses: node_builds_open
SELECT b.agent_id, b.id, b.kind, b.record_id, b.rebuild, b.outcome
FROM retry_builds_v1(
  %(agents)s::text[], %(first_agent)s::text, %(last_agent)s::text, %(ids)s::bigint[], %(keep)s::integer
) b
ORDER BY b.agent_id, b.id
