-- Says that a record mentions entities; a mention that stands is left alone.
-- in:  agent_id, declared_by text; entity_ids bigint[]; record_id bigint
-- out: entity_id bigint, one row a new mention
-- uses: the primary key
INSERT INTO entity_mentions AS m (agent_id, entity_id, record_id, declared_by)
SELECT %(agent_id)s, n.entity_id, %(record_id)s, %(declared_by)s
FROM unnest(%(entity_ids)s::bigint[]) AS n (entity_id)
ORDER BY n.entity_id
ON CONFLICT (agent_id, entity_id, record_id) DO NOTHING
RETURNING m.entity_id
