-- Names and aliases of entities.
-- in:  agent_id text, entity_ids bigint[], max_aliases int
-- out: entity_id bigint, name text, aliases text[] (as written, by normal form)
-- uses: the primary key, entity_aliases_entity
SELECT e.id, e.name, ARRAY(
  SELECT a.alias
  FROM entity_aliases a
  WHERE a.agent_id = %(agent_id)s
    AND a.agent_id = e.agent_id
    AND a.entity_id = e.id
    AND NOT a.is_name
  ORDER BY a.normalized
  LIMIT %(max_aliases)s
) AS aliases
FROM entities e
WHERE e.agent_id = %(agent_id)s
  AND e.id = ANY (%(entity_ids)s::bigint[])
ORDER BY e.id
