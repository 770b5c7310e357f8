-- Breadth-first walk over declared relations in either direction, from a name or from entities; one row a hop.
-- in:  scope; normalized text (a name, or ''); entity_ids bigint[]; max_hops int; keep int (entities in all)
-- out: hop int, frontier bigint[] (the starts, then new entities: newest relation that leads there, its number, the
--      entity's number), omitted bigint (those that keep cut away, as far as seen). A hop past max_hops tells whether
--      a relation is left unfollowed: it has one new neighbour of each entity.
-- uses: entity_aliases_normalized, entity_edges_newest, the primary keys of entity_edges and entities
-- Bound: 2 * keep newest pairs an entity, exact because at most keep are visited. Cycle guard: visited.
-- An edge stands once a place: of a pair only the newest readable one counts. Checks are scalar subqueries: made row by
-- row behind the index's order, never as a join over the agent.
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
        SELECT e.to_entity, e.declared_at, e.relation_id
        FROM entity_edges e
        WHERE e.agent_id = %(agent_id)s
          AND e.from_entity = f.id
          AND (w.hop < %(max_hops)s OR e.to_entity <> ALL (w.visited))
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
          AND (
            SELECT true
            FROM entity_edges o
            WHERE o.agent_id = %(agent_id)s
              AND o.agent_id = e.agent_id
              AND o.from_entity = e.from_entity
              AND o.to_entity = e.to_entity
              AND (o.declared_at, -o.relation_id) > (e.declared_at, -e.relation_id)
              AND (%(project_id)s::text IS NULL OR o.project_id = %(project_id)s OR o.project_id = '')
              AND (%(channel)s = '' OR o.channel = %(channel)s OR o.channel = '')
            LIMIT 1
          ) IS NULL
        ORDER BY e.declared_at DESC, e.relation_id
        LIMIT CASE WHEN w.hop < %(max_hops)s THEN 2 * %(keep)s ELSE 1 END
      ) n
      WHERE n.to_entity <> ALL (w.visited)
      ORDER BY n.to_entity, n.declared_at DESC, n.relation_id
    ) b
  ) step
  WHERE w.hop <= %(max_hops)s AND cardinality(w.frontier) > 0 AND (w.omitted = 0 OR w.hop = %(max_hops)s)
)
SELECT w.hop, w.frontier, w.omitted
FROM walk w
ORDER BY w.hop
