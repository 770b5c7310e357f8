-- Holds a build for longer, while it is still this worker's.
-- in:  agent_id, build_id, token, lease_s (seconds)
-- out: id, no row when the fence is lost
-- uses: node_builds_pkey
UPDATE node_builds AS b
SET lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
WHERE b.agent_id = %(agent_id)s
  AND b.id = %(build_id)s
  AND b.lease_token = %(token)s
  AND b.state = 'running'
RETURNING b.id
