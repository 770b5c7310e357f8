-- The entity of a number, as far as the call reads it.
-- in:  scope; entity_id bigint
-- out: entity_id bigint
-- uses: the primary key
SELECT e.id
FROM entities e
WHERE e.agent_id = %(agent_id)s
  AND e.id = %(entity_id)s
  AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
  AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
ORDER BY e.id
