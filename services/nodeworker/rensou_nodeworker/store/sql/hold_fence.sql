-- Keeps the build this worker's until the transaction ends.
-- in:  agent_id, build_id, token
-- out: id, no row when the fence is lost
-- uses: node_builds_pkey
SELECT b.id
FROM node_builds b
WHERE b.agent_id = %(agent_id)s
  AND b.id = %(build_id)s
  AND b.lease_token = %(token)s
  AND b.state = 'running'
FOR UPDATE
