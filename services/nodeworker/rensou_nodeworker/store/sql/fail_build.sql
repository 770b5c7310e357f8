-- Gives a build back to wait, or condemns it, while it is still this worker's.
-- in:  agent_id, build_id, token, state, errors_added, crashes_added, wait_s (seconds), reason (NULL: keep the last)
-- out: id, no row when the fence is lost
-- uses: node_builds_pkey
UPDATE node_builds AS b
SET state = %(state)s,
    errors = b.errors + %(errors_added)s,
    crashes = b.crashes + %(crashes_added)s,
    next_at = clock_timestamp() + make_interval(secs => %(wait_s)s),
    lease_token = NULL,
    lease_until = NULL,
    last_error = coalesce(%(reason)s, b.last_error),
    finished_at = CASE WHEN %(state)s = 'dead' THEN clock_timestamp() END
WHERE b.agent_id = %(agent_id)s
  AND b.id = %(build_id)s
  AND b.lease_token = %(token)s
  AND b.state = 'running'
RETURNING b.id
