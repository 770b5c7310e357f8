-- Live records of the agent.
-- in:  agent_id
-- out: count
-- uses: the primary key
SELECT count(*)
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.retired_at IS NULL
