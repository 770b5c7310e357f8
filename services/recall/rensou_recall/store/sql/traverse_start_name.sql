-- The entities that a name or alias means to the call; several when places differ.
-- in:  scope; normalized text; keep int
-- out: entity_id bigint, found bigint (how many there are before the cut)
-- uses: entity_aliases_normalized
SELECT a.entity_id, count(*) OVER () AS found
FROM entity_aliases a
WHERE a.agent_id = %(agent_id)s
  AND a.normalized = %(normalized)s
  AND (%(project_id)s::text IS NULL OR a.project_id = %(project_id)s OR a.project_id = '')
  AND (%(channel)s = '' OR a.channel = %(channel)s OR a.channel = '')
ORDER BY a.entity_id
LIMIT %(keep)s
