-- Declared relations between records of one pool that are not asserted to be true at other times than one instant alone,
-- one row a subject and object: at most the square of the pool.
-- in:  record_ids bigint[] (readable already), role_predicates text[], contradiction text, scope,
--      valid_at timestamptz
-- out: subject, object, the lowest predicate, the predicates among role_predicates (all in normal form), and of the
--      relations whose predicate is contradiction the lowest id or NULL
-- uses: relations_subject_record, validity_open_relation
SELECT rel.subject_record, rel.object_record, min(rel.normalized_predicate),
       coalesce(
         array_agg(DISTINCT rel.normalized_predicate)
           FILTER (WHERE rel.normalized_predicate = ANY (%(role_predicates)s::text[])),
         '{}'),
       min(rel.id) FILTER (WHERE rel.normalized_predicate = %(contradiction)s)
FROM relations rel
WHERE rel.agent_id = %(agent_id)s
  AND rel.subject_record = ANY (%(record_ids)s::bigint[])
  AND rel.object_record = ANY (%(record_ids)s::bigint[])
  AND (%(project_id)s::text IS NULL OR rel.project_id = %(project_id)s OR rel.project_id = '')
  AND (%(channel)s = '' OR rel.channel = %(channel)s OR rel.channel = '')
  AND NOT EXISTS (
    SELECT
    FROM validity_assertions v
    WHERE v.agent_id = %(agent_id)s
      AND v.relation_id = rel.id
      AND v.superseded_at IS NULL
      AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
    OFFSET 0
  )
GROUP BY rel.subject_record, rel.object_record
ORDER BY rel.subject_record, rel.object_record
