-- Relations that stand, by place, ends, predicate and anchor.
-- in:  agent_id, project_id, channel text; anchor_record bigint or null; of each relation, by position:
--      subject_entities, subject_records, object_entities, object_records bigint[] (one null an end), predicates text[]
-- out: place bigint (position from 1), id bigint
-- uses: relations_once. One branch a shape, because IS NOT DISTINCT FROM between columns uses no index.
WITH asked AS MATERIALIZED (
  SELECT n.subject_entity, n.subject_record, n.predicate, n.object_entity, n.object_record, n.place
  FROM unnest(
    %(subject_entities)s::bigint[], %(subject_records)s::bigint[], %(predicates)s::text[],
    %(object_entities)s::bigint[], %(object_records)s::bigint[]
  ) WITH ORDINALITY AS n (subject_entity, subject_record, predicate, object_entity, object_record, place)
)
SELECT k.place, found.id
FROM asked k
CROSS JOIN LATERAL (
  SELECT r.id
  FROM relations r
  WHERE r.agent_id = %(agent_id)s
    AND r.project_id = %(project_id)s AND r.channel = %(channel)s
    AND r.subject_entity = k.subject_entity AND r.subject_record IS NULL
    AND r.normalized_predicate = k.predicate
    AND r.object_entity = k.object_entity AND r.object_record IS NULL
    AND r.anchor_record IS NOT DISTINCT FROM %(anchor_record)s::bigint
  UNION ALL
  SELECT r.id
  FROM relations r
  WHERE r.agent_id = %(agent_id)s
    AND r.project_id = %(project_id)s AND r.channel = %(channel)s
    AND r.subject_entity = k.subject_entity AND r.subject_record IS NULL
    AND r.normalized_predicate = k.predicate
    AND r.object_entity IS NULL AND r.object_record = k.object_record
    AND r.anchor_record IS NOT DISTINCT FROM %(anchor_record)s::bigint
  UNION ALL
  SELECT r.id
  FROM relations r
  WHERE r.agent_id = %(agent_id)s
    AND r.project_id = %(project_id)s AND r.channel = %(channel)s
    AND r.subject_entity IS NULL AND r.subject_record = k.subject_record
    AND r.normalized_predicate = k.predicate
    AND r.object_entity = k.object_entity AND r.object_record IS NULL
    AND r.anchor_record IS NOT DISTINCT FROM %(anchor_record)s::bigint
  UNION ALL
  SELECT r.id
  FROM relations r
  WHERE r.agent_id = %(agent_id)s
    AND r.project_id = %(project_id)s AND r.channel = %(channel)s
    AND r.subject_entity IS NULL AND r.subject_record = k.subject_record
    AND r.normalized_predicate = k.predicate
    AND r.object_entity IS NULL AND r.object_record = k.object_record
    AND r.anchor_record IS NOT DISTINCT FROM %(anchor_record)s::bigint
) found
ORDER BY k.place
