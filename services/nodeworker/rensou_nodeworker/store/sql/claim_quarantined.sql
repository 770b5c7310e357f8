-- Takes the build that has been due longest of those that a worker went down with, unless one of them runs, wherever:
-- asked under a lock that one worker holds. See claim_build.
-- in:  lease_s (seconds), rebuild (whether it is for the model that is built)
-- out: as claim_build
-- uses: node_builds_quarantined, node_builds_leased
WITH due AS MATERIALIZED (
  SELECT d.agent_id, d.id
  FROM node_builds d
  WHERE d.state = 'pending'
    AND d.crashes > 0
    AND d.rebuild = %(rebuild)s
    AND d.next_at <= now()
    AND NOT EXISTS (
      SELECT
      FROM node_builds q
      WHERE q.state = 'running'
        AND q.crashes > 0
    )
  ORDER BY d.next_at, d.id
  LIMIT 1
  FOR UPDATE SKIP LOCKED
)
UPDATE node_builds AS b
SET state = 'running',
    lease_token = gen_random_uuid(),
    lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
FROM due
WHERE b.agent_id = due.agent_id
  AND b.id = due.id
RETURNING b.agent_id, b.id, b.record_id, b.content_sha256, b.model_id, b.lease_token, b.errors, b.crashes,
          extract(epoch FROM clock_timestamp() - b.created_at)::double precision
