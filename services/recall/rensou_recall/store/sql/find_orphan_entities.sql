-- Entities that no record mentions and no relation names.
-- in:  agent_id, keep (rows wanted)
-- out: id, and the number of all of them in every row
-- uses: the primary keys, relations_subject_entity, relations_object_entity
-- OFFSET 0 keeps each test a lookup by its whole key, also for an agent that statistics do not know.
SELECT e.id, count(*) OVER ()
FROM entities e
WHERE e.agent_id = %(agent_id)s
  AND NOT EXISTS (
    SELECT
    FROM entity_mentions m
    WHERE m.agent_id = %(agent_id)s
      AND m.entity_id = e.id
    OFFSET 0
  )
  AND NOT EXISTS (
    SELECT
    FROM relations s
    WHERE s.agent_id = %(agent_id)s
      AND s.subject_entity = e.id
    OFFSET 0
  )
  AND NOT EXISTS (
    SELECT
    FROM relations o
    WHERE o.agent_id = %(agent_id)s
      AND o.object_entity = e.id
    OFFSET 0
  )
ORDER BY e.id
LIMIT %(keep)s
