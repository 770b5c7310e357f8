-- Pairs of readable relations between entities with the same subject and predicate and another object, of places that
-- one reader may read together. What repeats a relation (same ends, predicate and place) is left out.
-- in:  scope; after_subject bigint, after_predicate text, after_first, after_second bigint (the pair before the first);
--      keep int
-- out: subject_entity bigint, normalized_predicate text, first, second bigint; in this order
-- uses: relations_statements for both, relations_once for repetitions, the primary key of entities
SELECT f.subject_entity, f.normalized_predicate, f.id, o.id
FROM relations f
CROSS JOIN LATERAL (
  SELECT s.id
  FROM relations s
  WHERE s.agent_id = %(agent_id)s
    AND s.subject_entity = f.subject_entity AND s.normalized_predicate = f.normalized_predicate
    AND s.id > f.id AND (f.id <> %(after_first)s OR s.id > %(after_second)s)
    AND s.object_entity <> f.object_entity
    AND (s.project_id = f.project_id OR s.project_id = '' OR f.project_id = '')
    AND (s.channel = f.channel OR s.channel = '' OR f.channel = '')
    AND (%(project_id)s::text IS NULL OR s.project_id = %(project_id)s OR s.project_id = '')
    AND (%(channel)s = '' OR s.channel = %(channel)s OR s.channel = '')
    AND NOT EXISTS (
      SELECT
      FROM relations u
      WHERE u.agent_id = %(agent_id)s
        AND u.project_id = s.project_id AND u.channel = s.channel
        AND u.subject_entity = s.subject_entity AND u.subject_record IS NULL
        AND u.normalized_predicate = s.normalized_predicate
        AND u.object_entity = s.object_entity AND u.id < s.id
      OFFSET 0
    )
    AND EXISTS (
      SELECT
      FROM entities t
      WHERE t.agent_id = %(agent_id)s
        AND t.id = s.object_entity
        AND (%(project_id)s::text IS NULL OR t.project_id = %(project_id)s OR t.project_id = '')
        AND (%(channel)s = '' OR t.channel = %(channel)s OR t.channel = '')
      OFFSET 0
    )
  ORDER BY s.id
  LIMIT %(keep)s
) o
WHERE f.agent_id = %(agent_id)s
  AND f.subject_entity IS NOT NULL AND f.object_entity IS NOT NULL
  AND (f.subject_entity, f.normalized_predicate, f.id) >= (%(after_subject)s, %(after_predicate)s, %(after_first)s)
  AND (%(project_id)s::text IS NULL OR f.project_id = %(project_id)s OR f.project_id = '')
  AND (%(channel)s = '' OR f.channel = %(channel)s OR f.channel = '')
  AND NOT EXISTS (
    SELECT
    FROM relations v
    WHERE v.agent_id = %(agent_id)s
      AND v.project_id = f.project_id AND v.channel = f.channel
      AND v.subject_entity = f.subject_entity AND v.subject_record IS NULL
      AND v.normalized_predicate = f.normalized_predicate
      AND v.object_entity = f.object_entity AND v.id < f.id
    OFFSET 0
  )
  AND (
    SELECT count(*) = 2
    FROM entities e
    WHERE e.agent_id = %(agent_id)s
      AND e.id IN (f.subject_entity, f.object_entity)
      AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
      AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
  )
ORDER BY f.subject_entity, f.normalized_predicate, f.id, o.id
LIMIT %(keep)s
