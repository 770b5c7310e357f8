-- What names mean in the places that a writer reads.
-- in:  agent_id, project_id, channel text: the writer's place; normalized text[]
-- out: normalized, project_id, channel text, entity_id bigint, name text (as first declared)
-- uses: entity_aliases_normalized, the primary key of entities
SELECT a.normalized, a.project_id, a.channel, e.id, e.name
FROM entity_aliases a
JOIN entities e ON e.id = a.entity_id AND e.agent_id = a.agent_id
WHERE a.agent_id = %(agent_id)s
  AND e.agent_id = %(agent_id)s
  AND a.normalized = ANY (%(normalized)s::text[])
  AND a.project_id IN (%(project_id)s, '')
  AND a.channel IN (%(channel)s, '')
ORDER BY a.normalized, a.project_id, a.channel
