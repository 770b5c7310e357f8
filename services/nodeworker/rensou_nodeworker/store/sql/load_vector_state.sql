-- What stands of a record under one model.
-- in:  agent_id, record_id, model_id, token_window (NULL: any), divider_version
-- out: has_vector, token_count, has_nodes (of this model, window and divider)
-- uses: record_vectors_pkey, record_nodes_pkey
SELECT
  v.record_id IS NOT NULL,
  v.token_count,
  EXISTS (
    SELECT
    FROM record_nodes n
    WHERE n.agent_id = %(agent_id)s
      AND n.record_id = %(record_id)s
      AND n.model_id = %(model_id)s
      AND (%(token_window)s::integer IS NULL OR n.token_window = %(token_window)s)
      AND n.divider_version = %(divider_version)s
  )
FROM (SELECT) one
LEFT JOIN record_vectors v
  ON v.agent_id = %(agent_id)s
  AND v.record_id = %(record_id)s
  AND v.model_id = %(model_id)s
