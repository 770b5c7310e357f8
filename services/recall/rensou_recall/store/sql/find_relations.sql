-- Relations that the call reads with both their ends, by number.
-- in:  scope; predicate text (normalised, '' for any); after bigint (the number before the first); keep int
-- out: id bigint
-- uses: the primary key when every project is read, else relations_place; the primary keys of entities and records
-- One branch a project: conditions on parameters leave one or two of them, and each gives its rows in order, which
-- OFFSET 0 keeps apart from the tests, so that those are made row by row until a page is full.
SELECT n.id
FROM (
  (
    SELECT a.id, a.channel, a.normalized_predicate, a.subject_entity, a.subject_record, a.object_entity, a.object_record
    FROM relations a
    WHERE a.agent_id = %(agent_id)s
      AND %(project_id)s::text IS NULL
      AND a.id > %(after)s
    ORDER BY a.id
    OFFSET 0
  )
  UNION ALL
  (
    SELECT p.id, p.channel, p.normalized_predicate, p.subject_entity, p.subject_record, p.object_entity, p.object_record
    FROM relations p
    WHERE p.agent_id = %(agent_id)s
      AND p.project_id = %(project_id)s::text
      AND p.id > %(after)s
    ORDER BY p.id
    OFFSET 0
  )
  UNION ALL
  (
    SELECT g.id, g.channel, g.normalized_predicate, g.subject_entity, g.subject_record, g.object_entity, g.object_record
    FROM relations g
    WHERE g.agent_id = %(agent_id)s
      AND g.project_id = ''
      AND %(project_id)s::text <> ''
      AND g.id > %(after)s
    ORDER BY g.id
    OFFSET 0
  )
) n
WHERE (%(channel)s = '' OR n.channel = %(channel)s OR n.channel = '')
  AND (%(predicate)s = '' OR n.normalized_predicate = %(predicate)s)
  AND (
    SELECT count(*) = num_nonnulls(n.subject_entity, n.object_entity)
    FROM entities e
    WHERE e.agent_id = %(agent_id)s
      AND e.id IN (n.subject_entity, n.object_entity)
      AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
      AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
  )
  AND (
    SELECT count(*) = num_nonnulls(n.subject_record, n.object_record)
    FROM records r
    WHERE r.agent_id = %(agent_id)s
      AND r.id IN (n.subject_record, n.object_record)
      AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
      AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
      AND (%(source_id)s = '' OR r.source_id = %(source_id)s
           OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
  )
ORDER BY n.id
LIMIT %(keep)s
