-- Entities as lists show them.
-- in:  agent_id text, ids bigint[], max_aliases int
-- out: id bigint, name text (as first declared), project_id, channel, declared_by text, created_at timestamptz,
--      aliases text[] (as written, by normal form, the name left out), found bigint (how many there are before the cut)
-- uses: the primary key, entity_aliases_entity
SELECT e.id, e.name, e.project_id, e.channel, e.declared_by, e.created_at, l.aliases, l.found
FROM entities e
CROSS JOIN LATERAL (
  SELECT coalesce(array_agg(n.alias ORDER BY n.normalized) FILTER (WHERE n.place <= %(max_aliases)s), '{}') AS aliases,
         count(*) AS found
  FROM (
    SELECT a.alias, a.normalized, row_number() OVER (ORDER BY a.normalized) AS place
    FROM entity_aliases a
    WHERE a.agent_id = %(agent_id)s
      AND a.entity_id = e.id
      AND NOT a.is_name
  ) n
) l
WHERE e.agent_id = %(agent_id)s
  AND e.id = ANY (%(ids)s::bigint[])
ORDER BY e.id
