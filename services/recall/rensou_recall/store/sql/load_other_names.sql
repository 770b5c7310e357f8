-- Names and aliases of entities that the call may read and the question does not hold; a normal form once.
-- in:  question text (normal form), entity_ids bigint[] in order, scope, keep integer
-- out: alias as written, how many there are in all; by entity, its name first, then by normal form
-- uses: entity_aliases_entity
SELECT n.alias, count(*) OVER ()
FROM (
  SELECT DISTINCT ON (x.normalized) x.normalized, x.alias, x.is_name, e.place
  FROM unnest(%(entity_ids)s::bigint[]) WITH ORDINALITY AS e (entity_id, place)
  CROSS JOIN LATERAL (
    SELECT a.normalized, a.alias, a.is_name
    FROM entity_aliases a
    WHERE a.agent_id = %(agent_id)s
      AND a.entity_id = e.entity_id
      AND (%(project_id)s::text IS NULL OR a.project_id = %(project_id)s OR a.project_id = '')
      AND (%(channel)s = '' OR a.channel = %(channel)s OR a.channel = '')
      AND strpos(%(question)s, a.normalized) = 0
    OFFSET 0
  ) x
  ORDER BY x.normalized, e.place, x.is_name DESC
) n
ORDER BY n.place, n.is_name DESC, n.normalized
LIMIT %(keep)s
