-- Registers names and aliases of entities of one place; one that is taken there is left alone.
-- in:  agent_id, project_id, channel text; normalized text[], entity_ids bigint[], aliases text[], are_names boolean[]
-- out: normalized text, one row an alias that was free
-- uses: the primary key
INSERT INTO entity_aliases AS a (agent_id, project_id, channel, normalized, entity_id, alias, is_name)
SELECT %(agent_id)s, %(project_id)s, %(channel)s, n.normalized, n.entity_id, n.alias, n.is_name
FROM unnest(
  %(normalized)s::text[], %(entity_ids)s::bigint[], %(aliases)s::text[], %(are_names)s::boolean[]
) AS n (normalized, entity_id, alias, is_name)
ORDER BY n.normalized COLLATE "C"
ON CONFLICT (agent_id, project_id, channel, normalized) DO NOTHING
RETURNING a.normalized
