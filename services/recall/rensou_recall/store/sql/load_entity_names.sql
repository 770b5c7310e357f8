-- Names and aliases of entities that the call may read, the name first, then by normal form.
-- in:  entity_ids bigint[], scope, per_entity integer
-- out: entity_id, alias as written, normalized, is_name
-- uses: entity_aliases_entity
SELECT x.entity_id, n.alias, n.normalized, n.is_name
FROM unnest(%(entity_ids)s::bigint[]) AS x (entity_id)
CROSS JOIN LATERAL (
  SELECT a.alias, a.normalized, a.is_name
  FROM entity_aliases a
  WHERE a.agent_id = %(agent_id)s
    AND a.entity_id = x.entity_id
    AND (%(project_id)s::text IS NULL OR a.project_id = %(project_id)s OR a.project_id = '')
    AND (%(channel)s = '' OR a.channel = %(channel)s OR a.channel = '')
  ORDER BY a.is_name DESC, a.normalized
  LIMIT %(per_entity)s
) n
ORDER BY x.entity_id, n.is_name DESC, n.normalized
