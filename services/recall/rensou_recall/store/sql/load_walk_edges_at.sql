-- The newest relations of entities, one a neighbour, that are not asserted to be true at other times than one instant
-- alone; the far end is readable. They are read from the relations themselves: entity_edges keeps the newest of a pair,
-- which may be true at another time than an older one.
-- in:  entity_ids bigint[] (readable already), scope, per_entity integer, valid_at timestamptz
-- out: entity_id, to_entity, relation_id, declared_at, predicate in normal form; newest first, then lower relation
-- uses: relations_subject_entity, relations_object_entity, validity_open_relation, the primary key of entities
SELECT x.entity_id, e.to_entity, e.id, e.declared_at, e.normalized_predicate
FROM unnest(%(entity_ids)s::bigint[]) AS x (entity_id)
CROSS JOIN LATERAL (
  SELECT p.to_entity, p.id, p.declared_at, p.normalized_predicate
  FROM (
    SELECT DISTINCT ON (o.to_entity) o.to_entity, o.id, o.declared_at, o.normalized_predicate
    FROM (
      SELECT rel.id, rel.object_entity AS to_entity, rel.declared_at, rel.normalized_predicate
      FROM relations rel
      WHERE rel.agent_id = %(agent_id)s
        AND rel.subject_entity = x.entity_id
        AND rel.object_entity IS NOT NULL
        AND (%(project_id)s::text IS NULL OR rel.project_id = %(project_id)s OR rel.project_id = '')
        AND (%(channel)s = '' OR rel.channel = %(channel)s OR rel.channel = '')
      UNION ALL
      SELECT rel.id, rel.subject_entity AS to_entity, rel.declared_at, rel.normalized_predicate
      FROM relations rel
      WHERE rel.agent_id = %(agent_id)s
        AND rel.object_entity = x.entity_id
        AND rel.subject_entity IS NOT NULL
        AND (%(project_id)s::text IS NULL OR rel.project_id = %(project_id)s OR rel.project_id = '')
        AND (%(channel)s = '' OR rel.channel = %(channel)s OR rel.channel = '')
    ) o
    WHERE NOT EXISTS (
      SELECT
      FROM validity_assertions v
      WHERE v.agent_id = %(agent_id)s
        AND v.relation_id = o.id
        AND v.superseded_at IS NULL
        AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
      OFFSET 0
    )
    AND EXISTS (
      SELECT
      FROM entities far
      WHERE far.agent_id = %(agent_id)s
        AND far.id = o.to_entity
        AND (%(project_id)s::text IS NULL OR far.project_id = %(project_id)s OR far.project_id = '')
        AND (%(channel)s = '' OR far.channel = %(channel)s OR far.channel = '')
      OFFSET 0
    )
    ORDER BY o.to_entity, o.declared_at DESC, o.id
  ) p
  ORDER BY p.declared_at DESC, p.id
  LIMIT %(per_entity)s
) e
ORDER BY x.entity_id, e.declared_at DESC, e.id
