-- How many builds of the agent wait, counted up to a cap.
-- in:  agent_id, cap
-- out: count
-- uses: node_builds_once
SELECT count(*)
FROM (
  SELECT
  FROM node_builds b
  WHERE b.agent_id = %(agent_id)s
    AND b.state = 'pending'
  LIMIT %(cap)s
) x
