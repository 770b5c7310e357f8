-- Removes counts of the agent's projects that came to nothing.
-- in:  agent_id
-- uses: scope_counts_pkey
DELETE FROM scope_counts AS s
WHERE s.agent_id = %(agent_id)s
  AND s.records = 0
