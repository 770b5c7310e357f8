-- Relations that a walk would have followed or listed and that are asserted to be true at other times than one instant:
-- the call reads them and both their ends, one of which was walked from, or both of which are in the answer.
-- in:  scope; walked bigint[] (entities that the walk went on from); entity_ids bigint[] (all of the answer); keep int;
--      valid_at timestamptz
-- out: id, how many there are before the cut; by number
-- uses: validity_open_relation, the primary keys of relations and entities
SELECT r.id, count(*) OVER ()
FROM validity_assertions v
CROSS JOIN LATERAL (
  SELECT k.id, k.subject_entity, k.object_entity, k.project_id, k.channel
  FROM relations k
  WHERE k.agent_id = %(agent_id)s
    AND k.id = v.relation_id
  OFFSET 0
) r
WHERE v.agent_id = %(agent_id)s
  AND v.relation_id IS NOT NULL
  AND v.superseded_at IS NULL
  AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
  AND (
    r.subject_entity = ANY (%(walked)s::bigint[])
    OR r.object_entity = ANY (%(walked)s::bigint[])
    OR (r.subject_entity = ANY (%(entity_ids)s::bigint[]) AND r.object_entity = ANY (%(entity_ids)s::bigint[]))
  )
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (
    SELECT count(*) = 2
    FROM entities e
    WHERE e.agent_id = %(agent_id)s
      AND e.id IN (r.subject_entity, r.object_entity)
      AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
      AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
  )
ORDER BY r.id
LIMIT %(keep)s
