-- Relations by which a record replaces another that itself replaces, and is replaced: no other can be in a cycle.
-- in:  agent_id text, predicates text[] (normalised), keep int
-- out: id, subject_record, object_record bigint
-- uses: relations_subject_record, relations_object_record
-- OFFSET 0 keeps each test a lookup by its whole key, also for an agent that statistics do not know.
SELECT r.id, r.subject_record, r.object_record
FROM relations r
WHERE r.agent_id = %(agent_id)s
  AND r.subject_record IS NOT NULL AND r.object_record IS NOT NULL
  AND r.normalized_predicate = ANY (%(predicates)s::text[])
  AND EXISTS (
    SELECT
    FROM relations n
    WHERE n.agent_id = %(agent_id)s
      AND n.subject_record = r.object_record AND n.object_record IS NOT NULL
      AND n.normalized_predicate = ANY (%(predicates)s::text[])
    OFFSET 0
  )
  AND EXISTS (
    SELECT
    FROM relations b
    WHERE b.agent_id = %(agent_id)s
      AND b.object_record = r.subject_record AND b.subject_record IS NOT NULL
      AND b.normalized_predicate = ANY (%(predicates)s::text[])
    OFFSET 0
  )
ORDER BY r.id
LIMIT %(keep)s
