-- Breadth-first walk over declared relations in either direction, one row a hop; hop 0 is what a name, an alias or numbers
-- mean to the call, several when places differ.
-- in:  scope; normalized text or null; entity_ids bigint[] or null; max_hops int; keep int (entities in all)
-- out: hop int, frontier bigint[] (new entities: newest relation that leads there, its number, the entity's number),
--      omitted bigint (new entities that keep cut away, as far as seen)
-- uses: entity_aliases_normalized, entity_edges_newest, the primary keys of entity_edges and entities
-- Bound: 2 * keep newest pairs an entity: exact, as at most keep of them are visited. Cycle guard: visited.
-- An edge stands once a place: of a pair only the newest readable one counts. Checks are scalar subqueries: made row
-- by row behind the index's order, never as a join over the agent.
WITH RECURSIVE walk (hop, frontier, visited, omitted) AS (
  SELECT 0, s.ids[:%(keep)s], s.ids[:%(keep)s], greatest(cardinality(s.ids) - %(keep)s, 0)::bigint
  FROM (
    SELECT array_agg(m.id ORDER BY m.id) AS ids
    FROM (
      SELECT a.entity_id AS id
      FROM entity_aliases a
      WHERE a.agent_id = %(agent_id)s
        AND a.normalized = %(normalized)s
        AND (%(project_id)s::text IS NULL OR a.project_id = %(project_id)s OR a.project_id = '')
        AND (%(channel)s = '' OR a.channel = %(channel)s OR a.channel = '')
      UNION ALL
      SELECT g.id
      FROM entities g
      WHERE g.agent_id = %(agent_id)s
        AND g.id = ANY (%(entity_ids)s::bigint[])
        AND (%(project_id)s::text IS NULL OR g.project_id = %(project_id)s OR g.project_id = '')
        AND (%(channel)s = '' OR g.channel = %(channel)s OR g.channel = '')
    ) m
  ) s
  WHERE s.ids IS NOT NULL
  UNION ALL
  SELECT w.hop + 1, step.kept, w.visited || step.kept, step.seen - cardinality(step.kept)
  FROM walk w
  CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(p.to_entity ORDER BY p.place)
                      FILTER (WHERE p.place <= %(keep)s - cardinality(w.visited)), '{}') AS kept,
           count(*) AS seen
    FROM (
      SELECT b.to_entity, row_number() OVER (ORDER BY b.declared_at DESC, b.relation_id, b.to_entity) AS place
      FROM (
        SELECT DISTINCT ON (n.to_entity) n.to_entity, n.declared_at, n.relation_id
        FROM unnest(w.frontier) AS f (id)
        CROSS JOIN LATERAL (
          SELECT e.to_entity, e.declared_at, e.relation_id
          FROM entity_edges e
          WHERE e.agent_id = %(agent_id)s
            AND e.from_entity = f.id
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
          LIMIT 2 * %(keep)s
        ) n
        WHERE n.to_entity <> ALL (w.visited)
        ORDER BY n.to_entity, n.declared_at DESC, n.relation_id
      ) b
    ) p
  ) step
  WHERE w.hop < %(max_hops)s AND cardinality(w.frontier) > 0 AND w.omitted = 0
)
SELECT w.hop, w.frontier, w.omitted
FROM walk w
ORDER BY w.hop
