-- Takes mentions back.
-- in:  agent_id text; by position: entity_ids bigint[], kinds text[], record_ids bigint[]
-- out: entity_id bigint, one row a mention that stood
-- uses: the primary keys
DELETE FROM entity_mentions AS m
USING records r, unnest(%(entity_ids)s::bigint[], %(kinds)s::text[], %(record_ids)s::bigint[])
  AS n (entity_id, kind, record_id)
WHERE m.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND m.agent_id = r.agent_id
  AND m.entity_id = n.entity_id
  AND m.record_id = n.record_id
  AND r.id = n.record_id
  AND r.kind = n.kind
RETURNING m.entity_id
