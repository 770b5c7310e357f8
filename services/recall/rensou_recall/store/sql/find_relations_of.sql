-- Relations that the call reads with both their ends and that have one thing at an end, by number.
-- in:  scope; entity_id, record_id bigint: the end, the other one null; predicate text (normalised, '' for any); after
--      bigint (the number before the first); keep int
-- out: id bigint
-- uses: relations_subject_entity_id, relations_object_entity, relations_subject_record, relations_object_record, and
--       the primary keys of entities and records. One branch an index; a null number finds nothing in its two.
-- Each gives its rows in order, which OFFSET 0 keeps apart from the tests, so that those are made row by row until a
-- page is full.
SELECT n.id
FROM (
  (
    SELECT a.id, a.project_id, a.channel, a.normalized_predicate, a.subject_entity, a.subject_record, a.object_entity,
           a.object_record
    FROM relations a
    WHERE a.agent_id = %(agent_id)s
      AND a.subject_entity = %(entity_id)s::bigint AND a.id > %(after)s
    ORDER BY a.id
    OFFSET 0
  )
  UNION ALL
  (
    SELECT b.id, b.project_id, b.channel, b.normalized_predicate, b.subject_entity, b.subject_record, b.object_entity,
           b.object_record
    FROM relations b
    WHERE b.agent_id = %(agent_id)s
      AND b.object_entity = %(entity_id)s::bigint AND b.id > %(after)s
    ORDER BY b.id
    OFFSET 0
  )
  UNION ALL
  (
    SELECT c.id, c.project_id, c.channel, c.normalized_predicate, c.subject_entity, c.subject_record, c.object_entity,
           c.object_record
    FROM relations c
    WHERE c.agent_id = %(agent_id)s
      AND c.subject_record = %(record_id)s::bigint AND c.id > %(after)s
    ORDER BY c.id
    OFFSET 0
  )
  UNION ALL
  (
    SELECT d.id, d.project_id, d.channel, d.normalized_predicate, d.subject_entity, d.subject_record, d.object_entity,
           d.object_record
    FROM relations d
    WHERE d.agent_id = %(agent_id)s
      AND d.object_record = %(record_id)s::bigint AND d.id > %(after)s
    ORDER BY d.id
    OFFSET 0
  )
) n
WHERE (%(project_id)s::text IS NULL OR n.project_id = %(project_id)s OR n.project_id = '')
  AND (%(channel)s = '' OR n.channel = %(channel)s OR n.channel = '')
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
