-- Relations that a record is an end of, or one relation, that stand or stood, after a place in the history, oldest
-- first: the relation and both its ends are readable, entities that are deleted by now included.
-- in:  scope; record_id, relation_id bigint (one of them NULL); after_at timestamptz, after_number; keep integer
-- out: declared_at, id, predicate as written, of subject and object each: entity, kind, record; declared_by,
--      retracted_at or NULL
-- uses: the primary keys, relations_*_record, relation_history_*_record
WITH stood AS MATERIALIZED (
  SELECT s.id, s.predicate, s.subject_entity, s.subject_record, s.object_entity, s.object_record, s.declared_by,
         s.declared_at, NULL::timestamptz AS retracted_at
  FROM relations s
  WHERE s.agent_id = %(agent_id)s
    AND (s.id = %(relation_id)s::bigint OR s.subject_record = %(record_id)s::bigint
         OR s.object_record = %(record_id)s::bigint)
    AND (%(project_id)s::text IS NULL OR s.project_id = %(project_id)s OR s.project_id = '')
    AND (%(channel)s = '' OR s.channel = %(channel)s OR s.channel = '')
  UNION ALL
  SELECT h.id, h.predicate, h.subject_entity, h.subject_record, h.object_entity, h.object_record, h.declared_by,
         h.declared_at, h.retracted_at
  FROM relation_history h
  WHERE h.agent_id = %(agent_id)s
    AND (h.id = %(relation_id)s::bigint OR h.subject_record = %(record_id)s::bigint
         OR h.object_record = %(record_id)s::bigint)
    AND (%(project_id)s::text IS NULL OR h.project_id = %(project_id)s OR h.project_id = '')
    AND (%(channel)s = '' OR h.channel = %(channel)s OR h.channel = '')
),
met AS MATERIALIZED (
  SELECT e.id
  FROM entities e
  WHERE e.agent_id = %(agent_id)s
    AND e.id IN (SELECT unnest(ARRAY[x.subject_entity, x.object_entity]) FROM stood x)
    AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
    AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
  UNION ALL
  SELECT g.id
  FROM entity_history g
  WHERE g.agent_id = %(agent_id)s
    AND g.id IN (SELECT unnest(ARRAY[x.subject_entity, x.object_entity]) FROM stood x)
    AND (%(project_id)s::text IS NULL OR g.project_id = %(project_id)s OR g.project_id = '')
    AND (%(channel)s = '' OR g.channel = %(channel)s OR g.channel = '')
),
read AS MATERIALIZED (
  SELECT r.id, r.kind
  FROM records r
  WHERE r.agent_id = %(agent_id)s
    AND r.id IN (SELECT unnest(ARRAY[x.subject_record, x.object_record]) FROM stood x)
    AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
    AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
    AND (%(source_id)s = '' OR r.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
)
SELECT x.declared_at, x.id, x.predicate, x.subject_entity, a.kind, x.subject_record, x.object_entity, b.kind,
       x.object_record, x.declared_by, x.retracted_at
FROM stood x
LEFT JOIN read a ON a.id = x.subject_record
LEFT JOIN read b ON b.id = x.object_record
WHERE (a.id IS NOT NULL OR x.subject_entity IN (SELECT m.id FROM met m))
  AND (b.id IS NOT NULL OR x.object_entity IN (SELECT m.id FROM met m))
  AND (x.declared_at, x.id) > (%(after_at)s::timestamptz, %(after_number)s::bigint)
ORDER BY x.declared_at, x.id
LIMIT %(keep)s
