-- Takes builds back whose worker is gone, of all agents: each is a crash, and the third is its death.
-- in:  max_crashes, max_rows
-- out: agent_id, id, record_id, state
-- uses: node_builds_leased
WITH expired AS MATERIALIZED (
  SELECT e.agent_id, e.id
  FROM node_builds e
  WHERE e.state = 'running'
    AND e.lease_until < now()
  ORDER BY e.lease_until, e.id
  LIMIT %(max_rows)s
  FOR UPDATE SKIP LOCKED
)
UPDATE node_builds AS b
SET state = CASE WHEN b.crashes + 1 >= %(max_crashes)s THEN 'dead' ELSE 'pending' END,
    crashes = b.crashes + 1,
    next_at = clock_timestamp(),
    lease_token = NULL,
    lease_until = NULL,
    last_error = 'the worker was gone before its lease ended',
    finished_at = CASE WHEN b.crashes + 1 >= %(max_crashes)s THEN clock_timestamp() END
FROM expired
WHERE b.agent_id = expired.agent_id
  AND b.id = expired.id
RETURNING b.agent_id, b.id, b.record_id, b.state
