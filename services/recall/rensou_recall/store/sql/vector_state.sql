-- What is derived of a record so far.
-- in:  agent_id, record_id, divider_version
-- out: embedded (under the active model), nodes_waiting (a build waits or runs, and the record is past its window)
-- uses: the primary keys
SELECT
  v.record_id IS NOT NULL,
  v.token_count > m.token_window AND NOT EXISTS (
    SELECT
    FROM records r
    CROSS JOIN LATERAL current_nodes_v1(
      r.agent_id, r.id, r.content_chars, m.id, m.token_window, %(divider_version)s
    ) c
    WHERE r.agent_id = %(agent_id)s
      AND r.id = %(record_id)s
  )
FROM embedding_models m
LEFT JOIN record_vectors v
  ON v.agent_id = %(agent_id)s
  AND v.record_id = %(record_id)s
  AND v.model_id = m.id
WHERE m.state = 'active'
