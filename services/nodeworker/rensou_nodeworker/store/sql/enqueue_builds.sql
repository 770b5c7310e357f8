-- Asks for the builds of records; one that ended before is asked for again, one that waits, runs or is dead stays.
-- in:  agent_id, record_ids, model_id, token_window or NULL, divider_version, rebuild
-- out: id
-- uses: records_pkey, node_builds_once
INSERT INTO node_builds AS b (agent_id, record_id, content_sha256, model_id, token_window, divider_version, rebuild)
SELECT r.agent_id, r.id, r.content_sha256, %(model_id)s::integer, %(token_window)s::integer, %(divider_version)s,
       %(rebuild)s
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(record_ids)s::bigint[])
ORDER BY r.id
ON CONFLICT ON CONSTRAINT node_builds_once DO UPDATE
SET state = 'pending',
    rebuild = excluded.rebuild,
    errors = 0,
    crashes = 0,
    next_at = clock_timestamp(),
    hinted_at = NULL,
    last_error = NULL,
    created_at = clock_timestamp(),
    finished_at = NULL
WHERE b.state IN ('done', 'superseded')
RETURNING b.id
