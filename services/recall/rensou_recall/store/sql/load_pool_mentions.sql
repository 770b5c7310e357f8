-- Entities that records mention, as far as the call may read the entities.
-- in:  record_ids bigint[] (readable already), scope, per_record integer
-- out: record_id, entity_id
-- uses: entity_mentions_record, the primary key of entities
SELECT x.record_id, m.entity_id
FROM unnest(%(record_ids)s::bigint[]) AS x (record_id)
CROSS JOIN LATERAL (
  SELECT em.entity_id
  FROM entity_mentions em
  JOIN entities e ON e.agent_id = em.agent_id AND e.id = em.entity_id
  WHERE em.agent_id = %(agent_id)s
    AND e.agent_id = %(agent_id)s
    AND em.record_id = x.record_id
    AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
    AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
  ORDER BY em.entity_id
  LIMIT %(per_record)s
) m
ORDER BY x.record_id, m.entity_id
