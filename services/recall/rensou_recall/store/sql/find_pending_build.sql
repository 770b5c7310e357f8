-- The build that waits for a record.
-- in:  agent_id, record_id
-- out: id
-- uses: node_builds_once
SELECT b.id
FROM node_builds b
WHERE b.agent_id = %(agent_id)s
  AND b.record_id = %(record_id)s
  AND b.state = 'pending'
ORDER BY b.id DESC
LIMIT 1
