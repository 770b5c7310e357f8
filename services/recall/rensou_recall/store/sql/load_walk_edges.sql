-- The newest edges of entities, one a neighbour: the adjacency row and its far end are readable.
-- in:  entity_ids bigint[] (readable already), scope, per_entity integer
-- out: entity_id, to_entity, relation_id, declared_at, predicate in normal form; newest first, then lower relation
-- uses: entity_edges_newest, and the primary keys of entity_edges, entities, relations
SELECT x.entity_id, e.to_entity, e.relation_id, e.declared_at, rel.normalized_predicate
FROM unnest(%(entity_ids)s::bigint[]) AS x (entity_id)
CROSS JOIN LATERAL (
  SELECT edge.agent_id, edge.to_entity, edge.relation_id, edge.declared_at
  FROM entity_edges edge
  WHERE edge.agent_id = %(agent_id)s
    AND edge.from_entity = x.entity_id
    AND (%(project_id)s::text IS NULL OR edge.project_id = %(project_id)s OR edge.project_id = '')
    AND (%(channel)s = '' OR edge.channel = %(channel)s OR edge.channel = '')
    -- OFFSET 0 keeps both tests out of the join, which would read all edges of a hub before the limit. Who reads every
    -- place reads every entity.
    AND ((%(project_id)s::text IS NULL AND %(channel)s = '') OR EXISTS (
      SELECT
      FROM entities far
      WHERE far.agent_id = %(agent_id)s
        AND far.agent_id = edge.agent_id
        AND far.id = edge.to_entity
        AND (%(project_id)s::text IS NULL OR far.project_id = %(project_id)s OR far.project_id = '')
        AND (%(channel)s = '' OR far.channel = %(channel)s OR far.channel = '')
      OFFSET 0
    ))
    -- A pair may have an edge in several scopes: the newest readable one stands for it.
    AND NOT EXISTS (
      SELECT
      FROM entity_edges newer
      WHERE newer.agent_id = %(agent_id)s
        AND newer.agent_id = edge.agent_id
        AND newer.from_entity = edge.from_entity
        AND newer.to_entity = edge.to_entity
        AND (newer.declared_at, -newer.relation_id) > (edge.declared_at, -edge.relation_id)
        AND (%(project_id)s::text IS NULL OR newer.project_id = %(project_id)s OR newer.project_id = '')
        AND (%(channel)s = '' OR newer.channel = %(channel)s OR newer.channel = '')
      OFFSET 0
    )
  ORDER BY edge.declared_at DESC, edge.relation_id
  LIMIT %(per_entity)s
) e
JOIN relations rel ON rel.agent_id = e.agent_id AND rel.id = e.relation_id
WHERE rel.agent_id = %(agent_id)s
ORDER BY x.entity_id, e.declared_at DESC, e.relation_id
