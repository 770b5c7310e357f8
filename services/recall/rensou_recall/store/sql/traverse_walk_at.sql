-- traverse_walk over relations that are not asserted to be true at other times than one instant alone, read from the
-- relations themselves: entity_edges keeps the newest of a pair, which may be true at another time than an older one.
-- in:  as traverse_walk; valid_at timestamptz
-- out: as traverse_walk, where all that is cut away is seen
-- uses: entity_aliases_normalized, relations_subject_entity, relations_object_entity, validity_open_relation, the primary
--       key of entities
-- Bound: keep entities are visited. Cycle guard: visited.
WITH RECURSIVE start (id) AS (
  SELECT a.entity_id
  FROM entity_aliases a
  WHERE a.agent_id = %(agent_id)s
    AND a.normalized = %(normalized)s
    AND (%(project_id)s::text IS NULL OR a.project_id = %(project_id)s OR a.project_id = '')
    AND (%(channel)s = '' OR a.channel = %(channel)s OR a.channel = '')
  UNION ALL
  SELECT t.id
  FROM entities t
  WHERE t.agent_id = %(agent_id)s
    AND t.id = ANY (%(entity_ids)s::bigint[])
    AND (%(project_id)s::text IS NULL OR t.project_id = %(project_id)s OR t.project_id = '')
    AND (%(channel)s = '' OR t.channel = %(channel)s OR t.channel = '')
), walk (hop, frontier, visited, omitted) AS (
  SELECT 0, n.ids[:%(keep)s], n.ids[:%(keep)s], greatest(cardinality(n.ids) - %(keep)s, 0)::bigint
  FROM (SELECT coalesce(array_agg(s.id ORDER BY s.id), '{}') AS ids FROM start s) n
  UNION ALL
  SELECT w.hop + 1, step.kept, w.visited || step.kept, step.seen - cardinality(step.kept)
  FROM walk w
  CROSS JOIN LATERAL (
    SELECT count(*) AS seen, coalesce((array_agg(b.to_entity ORDER BY b.declared_at DESC, b.relation_id, b.to_entity)
                                      )[:%(keep)s - cardinality(w.visited)], '{}') AS kept
    FROM (
      SELECT DISTINCT ON (n.to_entity) n.to_entity, n.declared_at, n.relation_id
      FROM unnest(w.frontier) AS f (id)
      CROSS JOIN LATERAL (
        SELECT e.object_entity AS to_entity, e.declared_at, e.id AS relation_id
        FROM relations e
        WHERE e.agent_id = %(agent_id)s
          AND e.subject_entity = f.id
          AND e.object_entity IS NOT NULL
          AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
          AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
        UNION ALL
        SELECT g.subject_entity, g.declared_at, g.id
        FROM relations g
        WHERE g.agent_id = %(agent_id)s
          AND g.object_entity = f.id
          AND g.subject_entity IS NOT NULL
          AND (%(project_id)s::text IS NULL OR g.project_id = %(project_id)s OR g.project_id = '')
          AND (%(channel)s = '' OR g.channel = %(channel)s OR g.channel = '')
      ) n
      WHERE n.to_entity <> ALL (w.visited)
        AND NOT EXISTS (
          SELECT
          FROM validity_assertions v
          WHERE v.agent_id = %(agent_id)s
            AND v.relation_id = n.relation_id
            AND v.superseded_at IS NULL
            AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
          OFFSET 0
        )
        AND EXISTS (
          SELECT
          FROM entities o
          WHERE o.agent_id = %(agent_id)s
            AND o.id = n.to_entity
            AND (%(project_id)s::text IS NULL OR o.project_id = %(project_id)s OR o.project_id = '')
            AND (%(channel)s = '' OR o.channel = %(channel)s OR o.channel = '')
          OFFSET 0
        )
      ORDER BY n.to_entity, n.declared_at DESC, n.relation_id
    ) b
  ) step
  WHERE w.hop <= %(max_hops)s AND cardinality(w.frontier) > 0 AND (w.omitted = 0 OR w.hop = %(max_hops)s)
)
SELECT w.hop, w.frontier, w.omitted
FROM walk w
ORDER BY w.hop
