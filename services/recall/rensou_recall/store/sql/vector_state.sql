-- What is derived of a record so far, and what becomes of the rest.
-- in:  agent_id, record_id, divider_version
-- out: embedded (under the active model), lacks_nodes (past its window, and without a current set), state of the build that
--      is for the present text: pending or running before dead, NULL when there is none
-- uses: the primary keys, node_builds_once
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
  ),
  (
    SELECT b.state
    FROM node_builds b
    JOIN records r ON r.id = b.record_id AND r.content_sha256 = b.content_sha256
    WHERE b.agent_id = %(agent_id)s
      AND r.agent_id = %(agent_id)s
      AND b.record_id = %(record_id)s
      AND (b.model_id = m.id OR b.model_id IS NULL)
      AND b.state IN ('pending', 'running', 'dead')
    ORDER BY b.state = 'dead', b.id
    LIMIT 1
  )
FROM embedding_models m
LEFT JOIN record_vectors v
  ON v.agent_id = %(agent_id)s
  AND v.record_id = %(record_id)s
  AND v.model_id = m.id
WHERE m.state = 'active'
