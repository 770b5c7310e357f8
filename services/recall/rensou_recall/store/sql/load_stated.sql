-- What is stated of subjects by predicates that state several objects: readable relations between entities, the lowest of
-- those that repeat each other (same ends, predicate, place and validity).
-- in:  scope; after_subject bigint, after_predicate text, after_first bigint (the relation to begin with);
--      groups int (subjects with a predicate, at most)
-- out: subject_entity bigint, normalized_predicate text; id, object_entity bigint, project_id, channel text, all null
--      when no entity of the group is readable; valid_from, valid_to (null: none); by subject, predicate, id
-- uses: relations_statements, read once, in its order, until there are groups enough; the primary key of entities;
--       validity_open_relation.
--       Gathered in arrays: relations that are looked up once a group may be looked up by the agent alone.
SELECT g.subject_entity, g.normalized_predicate, n.id, n.object_entity, n.project_id, n.channel, n.valid_from, n.valid_to
FROM (
  SELECT f.subject_entity, f.normalized_predicate, array_agg(f.id) AS ids, array_agg(f.object_entity) AS objects,
         array_agg(f.project_id) AS projects, array_agg(f.channel) AS channels
  FROM relations f
  WHERE f.agent_id = %(agent_id)s
    AND f.subject_entity IS NOT NULL AND f.object_entity IS NOT NULL
    AND (f.subject_entity, f.normalized_predicate, f.id) >= (%(after_subject)s, %(after_predicate)s, %(after_first)s)
    AND (%(project_id)s::text IS NULL OR f.project_id = %(project_id)s OR f.project_id = '')
    AND (%(channel)s = '' OR f.channel = %(channel)s OR f.channel = '')
  GROUP BY f.subject_entity, f.normalized_predicate
  HAVING min(f.object_entity) < max(f.object_entity)
  ORDER BY f.subject_entity, f.normalized_predicate
  LIMIT %(groups)s
) g
LEFT JOIN LATERAL (
  SELECT DISTINCT ON (r.project_id, r.channel, r.object_entity, t.valid_from, t.valid_to)
         r.id, r.object_entity, r.project_id, r.channel, t.valid_from, t.valid_to
  FROM unnest(g.ids, g.objects, g.projects, g.channels) AS r (id, object_entity, project_id, channel)
  LEFT JOIN LATERAL (
    SELECT v.valid_from, v.valid_to
    FROM validity_assertions v
    WHERE v.agent_id = %(agent_id)s
      AND v.relation_id = r.id
      AND v.superseded_at IS NULL
    OFFSET 0
  ) t ON true
  -- Who reads every place reads every entity.
  WHERE (%(project_id)s::text IS NULL AND %(channel)s = '') OR (
    SELECT count(*) = 2
    FROM entities e
    WHERE e.agent_id = %(agent_id)s
      AND e.id IN (g.subject_entity, r.object_entity)
      AND (%(project_id)s::text IS NULL OR e.project_id = %(project_id)s OR e.project_id = '')
      AND (%(channel)s = '' OR e.channel = %(channel)s OR e.channel = '')
  )
  ORDER BY r.project_id, r.channel, r.object_entity, t.valid_from, t.valid_to, r.id
) n ON true
ORDER BY g.subject_entity, g.normalized_predicate, n.id
