-- Queues a build for records, or wakes the one that was given up.
-- in:  agent_id, ids bigint[], divider_version
-- out: id of each build that now waits
-- uses: node_builds_once
INSERT INTO node_builds AS b (agent_id, record_id, content_sha256, model_id, token_window, divider_version)
SELECT r.agent_id, r.id, r.content_sha256, m.id, m.token_window, %(divider_version)s
FROM records r
LEFT JOIN embedding_models m ON m.state = 'active'
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s)
ORDER BY r.id
ON CONFLICT ON CONSTRAINT node_builds_once DO UPDATE
SET state = 'pending',
    rebuild = false,
    errors = 0,
    crashes = 0,
    created_at = clock_timestamp(),
    next_at = clock_timestamp(),
    hinted_at = NULL,
    last_error = NULL,
    finished_at = NULL
WHERE b.state NOT IN ('pending', 'running')
RETURNING b.id
