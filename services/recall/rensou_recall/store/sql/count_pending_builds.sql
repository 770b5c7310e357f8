-- How many builds of the agent wait, counted up to a cap. Those for a model that is not active yet count nothing.
-- in:  agent_id, cap
-- out: count
-- uses: node_builds_pending
SELECT count(*)
FROM (
  SELECT
  FROM node_builds b
  WHERE b.agent_id = %(agent_id)s
    AND b.state = 'pending'
    AND NOT b.rebuild
  LIMIT %(cap)s
) x
