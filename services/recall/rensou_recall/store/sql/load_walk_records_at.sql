-- Records outside the pool that mention entities and are not asserted to be true at other times than one instant alone,
-- as far as the call may read them, lowest numbers first.
-- in:  entity_ids bigint[] (readable already), pool bigint[], scope, per_entity integer,
--      valid_at timestamptz
-- out: entity_id, record ids ascending, at most per_entity; entities without any are left out
-- uses: the primary keys of entity_mentions and records, validity_open_record
SELECT x.entity_id, array_agg(m.record_id ORDER BY m.record_id)
FROM unnest(%(entity_ids)s::bigint[]) AS x (entity_id)
CROSS JOIN LATERAL (
  SELECT em.record_id
  FROM entity_mentions em
  JOIN records r ON r.agent_id = em.agent_id AND r.id = em.record_id
  WHERE em.agent_id = %(agent_id)s
    AND r.agent_id = %(agent_id)s
    AND em.entity_id = x.entity_id
    AND r.retired_at IS NULL
    AND em.record_id <> ALL (%(pool)s::bigint[])
    AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
    AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
    AND (%(source_id)s = '' OR r.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
    AND NOT EXISTS (
      SELECT
      FROM validity_assertions v
      WHERE v.agent_id = %(agent_id)s
        AND v.record_id = em.record_id
        AND v.superseded_at IS NULL
        AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
      OFFSET 0
    )
  ORDER BY em.record_id
  LIMIT %(per_entity)s
) m
GROUP BY x.entity_id
ORDER BY x.entity_id
