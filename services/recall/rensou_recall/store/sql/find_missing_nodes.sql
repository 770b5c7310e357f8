-- Records past the window of the active model without a current set of nodes.
-- in:  agent_id, keep (rows wanted)
-- out: kind, id, and the number of all of them in every row
-- uses: the primary keys
SELECT r.kind, r.id, count(*) OVER ()
FROM embedding_models m
JOIN record_vectors v ON v.model_id = m.id AND v.token_count > m.token_window
JOIN records r ON r.agent_id = v.agent_id AND r.id = v.record_id
WHERE m.state = 'active'
  AND v.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND NOT EXISTS (
    SELECT
    FROM record_nodes n
    WHERE n.agent_id = %(agent_id)s
      AND n.record_id = r.id
      AND n.model_id = m.id
      AND n.token_window = m.token_window
  )
ORDER BY r.id
LIMIT %(keep)s
