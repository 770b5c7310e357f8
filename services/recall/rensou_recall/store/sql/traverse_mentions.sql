-- Readable records that mention entities, the lowest numbers first, at most keep an entity.
-- in:  scope; entity_ids bigint[]; keep int
-- out: entity_id bigint, kind text, record_id bigint
-- uses: the primary keys of entity_mentions and records; OFFSET 0 keeps the records from being joined as a whole
SELECT f.id, n.kind, n.record_id
FROM unnest(%(entity_ids)s::bigint[]) AS f (id)
CROSS JOIN LATERAL (
  SELECT x.kind, m.record_id
  FROM entity_mentions m
  CROSS JOIN LATERAL (
    SELECT r.kind
    FROM records r
    WHERE r.agent_id = %(agent_id)s
      AND r.agent_id = m.agent_id
      AND r.id = m.record_id
      AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
      AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
      AND (%(source_id)s = '' OR r.source_id = %(source_id)s
           OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
    OFFSET 0
  ) x
  WHERE m.agent_id = %(agent_id)s
    AND m.entity_id = f.id
  ORDER BY m.record_id
  LIMIT %(keep)s
) n
ORDER BY f.id, n.record_id
