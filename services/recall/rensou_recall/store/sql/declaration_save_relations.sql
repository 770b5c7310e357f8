-- Registers relations, all declared at one instant; numbers rise in their order. One that stands is left alone.
-- in:  agent_id, project_id, channel, declared_by text; anchor_record bigint or null; by position: subject_entities,
--      subject_records, object_entities, object_records bigint[] (one null an end), predicates (normalised) and
--      written (as written) text[]
-- out: id bigint, one row a new relation
-- uses: relations_once
INSERT INTO relations AS r (
  agent_id, project_id, channel, subject_entity, subject_record, predicate, normalized_predicate, object_entity,
  object_record, anchor_record, declared_by, declared_at
)
SELECT %(agent_id)s, %(project_id)s, %(channel)s, n.subject_entity, n.subject_record, n.written, n.predicate,
       n.object_entity, n.object_record, %(anchor_record)s::bigint, %(declared_by)s, statement_timestamp()
FROM unnest(
  %(subject_entities)s::bigint[], %(subject_records)s::bigint[], %(written)s::text[], %(predicates)s::text[],
  %(object_entities)s::bigint[], %(object_records)s::bigint[]
) WITH ORDINALITY AS n (subject_entity, subject_record, written, predicate, object_entity, object_record, place)
ORDER BY n.place
ON CONFLICT ON CONSTRAINT relations_once DO NOTHING
RETURNING r.id
