-- Takes back the build that a change of text queued: nothing is left to derive, or the queue is full.
-- in:  agent_id, record_id
-- uses: node_builds_once
DELETE FROM node_builds AS b
WHERE b.agent_id = %(agent_id)s
  AND b.record_id = %(record_id)s
  AND b.state = 'pending'
