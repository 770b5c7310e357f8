-- What stands of a record under one model.
-- in:  agent_id, record_id, model_id, token_window (NULL: any), divider_version
-- out: has_vector, token_count, has_nodes (a current set)
-- uses: records_pkey, record_vectors_pkey, record_nodes_pkey
SELECT
  v.record_id IS NOT NULL,
  v.token_count,
  EXISTS (
    SELECT
    FROM records r
    CROSS JOIN LATERAL current_nodes_v1(
      r.agent_id, r.id, r.content_chars, %(model_id)s, %(token_window)s, %(divider_version)s
    ) c
    WHERE r.agent_id = %(agent_id)s
      AND r.id = %(record_id)s
  )
FROM (SELECT) one
LEFT JOIN record_vectors v
  ON v.agent_id = %(agent_id)s
  AND v.record_id = %(record_id)s
  AND v.model_id = %(model_id)s
