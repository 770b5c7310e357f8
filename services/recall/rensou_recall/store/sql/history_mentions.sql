-- Mentions of entities by a record, that stand or stood, after a place in its history, oldest first: the entities are
-- readable, those that are deleted by now included.
-- in:  scope; record_id (readable already); after_at timestamptz, after_number; keep integer
-- out: declared_at, entity_id, declared_by, retracted_at or NULL
-- uses: entity_mentions_record, mention_history_record, the primary keys of entities and entity_history
SELECT x.declared_at, x.entity_id, x.declared_by, x.retracted_at
FROM (
  SELECT m.agent_id, m.entity_id, m.declared_by, m.created_at AS declared_at, NULL::timestamptz AS retracted_at
  FROM entity_mentions m
  WHERE m.agent_id = %(agent_id)s
    AND m.record_id = %(record_id)s
  UNION ALL
  SELECT h.agent_id, h.entity_id, h.declared_by, h.declared_at, h.retracted_at
  FROM mention_history h
  WHERE h.agent_id = %(agent_id)s
    AND h.record_id = %(record_id)s
) x
WHERE (x.declared_at, x.entity_id) > (%(after_at)s::timestamptz, %(after_number)s::bigint)
  AND (
    EXISTS (
      SELECT
      FROM entities e
      WHERE e.agent_id = %(agent_id)s
        AND e.agent_id = x.agent_id
        AND e.id = x.entity_id
        AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
        AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
    )
    OR EXISTS (
      SELECT
      FROM entity_history g
      WHERE g.agent_id = %(agent_id)s
        AND g.agent_id = x.agent_id
        AND g.id = x.entity_id
        AND (%(project_id)s::text IS NULL OR g.project_id = %(project_id)s OR g.project_id = '')
        AND (%(channel)s = '' OR g.channel = %(channel)s OR g.channel = '')
    )
  )
ORDER BY x.declared_at, x.entity_id
LIMIT %(keep)s
