-- A page of builds that have not ended well, by agent and id: the definer function shows no text.
-- in:  agents text[] or NULL (all), last_agent (of them), state or NULL (any), after_agent and after_id (the place), keep
-- out: agent_id, id, kind, record_id, state, errors, crashes, next_at, lease_until, created_at, age_s (seconds), last_error,
--      fingerprint, rebuild, outdated
-- uses: node_builds_open
SELECT l.agent_id, l.id, l.kind, l.record_id, l.state, l.errors, l.crashes, l.next_at, l.lease_until, l.created_at,
       l.age_s, l.last_error, l.fingerprint, l.rebuild, l.outdated
FROM list_builds_v1(
  %(agents)s::text[], %(last_agent)s::text, %(state)s::text, %(after_agent)s::text, %(after_id)s::bigint,
  %(keep)s::integer
) l
ORDER BY l.agent_id, l.id
