-- Records without an embedding under the active model.
-- in:  agent_id, keep (rows wanted)
-- out: kind, id, and the number of all of them in every row
-- uses: the primary keys
SELECT r.kind, r.id, count(*) OVER ()
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND NOT EXISTS (
    SELECT
    FROM record_vectors v
    JOIN embedding_models m ON m.id = v.model_id AND m.state = 'active'
    WHERE v.agent_id = %(agent_id)s
      AND v.record_id = r.id
  )
ORDER BY r.id
LIMIT %(keep)s
