-- Entities that the call reads, of one name or alias, mentioned in one record, or both, by number.
-- in:  scope; normalized text ('' for any name); record_id bigint (null for any record; one of the two is given); after
--      bigint (the number before the first); keep int
-- out: id bigint
-- uses: entity_aliases_normalized or entity_mentions_record, the primary keys
SELECT e.id
FROM (
  SELECT a.entity_id
  FROM entity_aliases a
  WHERE a.agent_id = %(agent_id)s
    AND %(normalized)s <> ''
    AND a.normalized = %(normalized)s
  UNION ALL
  SELECT m.entity_id
  FROM entity_mentions m
  WHERE m.agent_id = %(agent_id)s
    AND %(normalized)s = ''
    AND m.record_id = %(record_id)s::bigint
) k
JOIN entities e
  ON e.agent_id = %(agent_id)s
 AND e.id = k.entity_id
WHERE e.id > %(after)s
  AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
  AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
  AND (%(record_id)s::bigint IS NULL OR EXISTS (
    SELECT
    FROM entity_mentions x
    WHERE x.agent_id = %(agent_id)s
      AND x.entity_id = e.id
      AND x.record_id = %(record_id)s::bigint
  ))
ORDER BY e.id
LIMIT %(keep)s
