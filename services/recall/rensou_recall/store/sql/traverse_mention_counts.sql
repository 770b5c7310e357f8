-- How many readable records mention entities; asked only for those with more than an answer names.
-- in:  scope; entity_ids bigint[]
-- out: entity_id bigint, mentions bigint
-- uses: the primary keys of entity_mentions and records
SELECT m.entity_id, count(*) AS mentions
FROM entity_mentions m
JOIN records r ON r.id = m.record_id AND r.agent_id = m.agent_id
WHERE m.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND m.entity_id = ANY (%(entity_ids)s::bigint[])
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
GROUP BY m.entity_id
ORDER BY m.entity_id
