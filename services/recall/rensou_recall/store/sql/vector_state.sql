-- What is derived of a record so far.
-- in:  agent_id, record_id
-- out: embedded (under the active model), nodes_waiting (a build waits or runs, and the record is past its window)
-- uses: the primary keys
SELECT
  v.record_id IS NOT NULL,
  v.token_count > m.token_window AND NOT EXISTS (
    SELECT
    FROM record_nodes n
    WHERE n.agent_id = %(agent_id)s
      AND n.record_id = %(record_id)s
      AND n.model_id = m.id
  )
FROM embedding_models m
LEFT JOIN record_vectors v
  ON v.agent_id = %(agent_id)s
  AND v.record_id = %(record_id)s
  AND v.model_id = m.id
WHERE m.state = 'active'
