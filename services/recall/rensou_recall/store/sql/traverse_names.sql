-- Names and aliases of entities.
-- in:  agent_id text, entity_ids bigint[], max_aliases int
-- out: entity_id bigint, name text, aliases text[] (as written, by normal form, at most max_aliases),
--      found bigint (how many aliases there are before the cut)
-- uses: the primary key, entity_aliases_entity
SELECT e.id, e.name, x.aliases, x.found
FROM entities e
CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(n.alias ORDER BY n.place) FILTER (WHERE n.place <= %(max_aliases)s), '{}') AS aliases,
         count(*) AS found
  FROM (
    SELECT a.alias, row_number() OVER (ORDER BY a.normalized) AS place
    FROM entity_aliases a
    WHERE a.agent_id = %(agent_id)s
      AND a.agent_id = e.agent_id
      AND a.entity_id = e.id
      AND NOT a.is_name
  ) n
) x
WHERE e.agent_id = %(agent_id)s
  AND e.id = ANY (%(entity_ids)s::bigint[])
ORDER BY e.id
