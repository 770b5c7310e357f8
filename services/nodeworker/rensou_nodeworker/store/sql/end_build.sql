-- Ends a build that was done or superseded, while it is still this worker's.
-- in:  agent_id, build_id, token, state
-- out: id, no row when the fence is lost
-- uses: node_builds_pkey
UPDATE node_builds AS b
SET state = %(state)s,
    lease_token = NULL,
    lease_until = NULL,
    last_error = NULL,
    finished_at = clock_timestamp()
WHERE b.agent_id = %(agent_id)s
  AND b.id = %(build_id)s
  AND b.lease_token = %(token)s
  AND b.state = 'running'
RETURNING b.id
