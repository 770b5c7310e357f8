-- Whether an entity of the last hop has a readable relation to an entity that is not returned.
-- in:  scope; frontier bigint[], returned bigint[]
-- out: unfollowed boolean
-- uses: entity_edges_newest, the primary key of entities
SELECT EXISTS (
  SELECT 1
  FROM unnest(%(frontier)s::bigint[]) AS f (id)
  CROSS JOIN LATERAL (
    SELECT e.to_entity
    FROM entity_edges e
    WHERE e.agent_id = %(agent_id)s
      AND e.from_entity = f.id
      AND e.to_entity <> ALL (%(returned)s::bigint[])
      AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
      AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
      AND (
        SELECT true
        FROM entities t
        WHERE t.agent_id = %(agent_id)s
          AND t.agent_id = e.agent_id
          AND t.id = e.to_entity
          AND (%(project_id)s::text IS NULL OR t.project_id = %(project_id)s OR t.project_id = '')
          AND (%(channel)s = '' OR t.channel = %(channel)s OR t.channel = '')
      )
    LIMIT 1
  ) n
) AS unfollowed
