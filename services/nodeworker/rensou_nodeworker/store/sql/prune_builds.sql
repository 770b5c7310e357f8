-- Forgets builds of all agents that ended well long ago, oldest first.
-- in:  keep_s (seconds), max_rows
-- out: id
-- uses: node_builds_finished
WITH old AS MATERIALIZED (
  SELECT o.agent_id, o.id
  FROM node_builds o
  WHERE o.state IN ('done', 'superseded')
    AND o.finished_at < now() - make_interval(secs => %(keep_s)s)
  ORDER BY o.finished_at, o.id
  LIMIT %(max_rows)s
  FOR UPDATE SKIP LOCKED
)
DELETE FROM node_builds AS b
USING old
WHERE b.agent_id = old.agent_id
  AND b.id = old.id
RETURNING b.id
