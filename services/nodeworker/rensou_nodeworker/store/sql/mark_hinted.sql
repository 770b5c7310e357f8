-- Builds of all agents that are due and were not hinted at lately, longest due first. Rebuilds need no hint: they
-- are taken when a worker has nothing else to do.
-- in:  quiet_s (seconds since the last hint), max_rows
-- out: agent_id, id, attempt
-- uses: node_builds_due
WITH due AS MATERIALIZED (
  SELECT d.agent_id, d.id
  FROM node_builds d
  WHERE d.state = 'pending'
    AND d.crashes = 0
    AND NOT d.rebuild
    AND d.next_at <= now()
    AND (d.hinted_at IS NULL OR d.hinted_at < now() - make_interval(secs => %(quiet_s)s))
  ORDER BY d.next_at, d.id
  LIMIT %(max_rows)s
  FOR UPDATE SKIP LOCKED
)
UPDATE node_builds AS b
SET hinted_at = now()
FROM due
WHERE b.agent_id = due.agent_id
  AND b.id = due.id
RETURNING b.agent_id, b.id, b.errors + b.crashes
