-- Relations of some predicates between each of some records and another, both readable by the call; newest numbers first.
-- in:  record_ids bigint[] (readable already), predicates text[] (normal form), per_record int (a record and direction),
--      scope
-- out: here bigint, is_subject boolean (here is the subject), id bigint, predicate text (normal form),
--      declared_at timestamptz, far kind text, far id bigint, far time timestamptz (happened, or else stored)
-- uses: relations_subject_record, relations_object_record, the primary key of records; OFFSET 0 keeps the check of the
--       far record behind the index's order
SELECT f.id, n.is_subject, n.id, n.normalized_predicate, n.declared_at, n.far_kind, n.far_id, n.far_at
FROM unnest(%(record_ids)s::bigint[]) AS f (id)
CROSS JOIN LATERAL (
  (SELECT true AS is_subject, rel.id, rel.normalized_predicate, rel.declared_at, x.kind AS far_kind, x.id AS far_id,
          x.at AS far_at
   FROM relations rel
   CROSS JOIN LATERAL (
     SELECT r.kind, r.id, coalesce(r.occurred_at, r.created_at) AS at
     FROM records r
     WHERE r.agent_id = %(agent_id)s
       AND r.agent_id = rel.agent_id
       AND r.id = rel.object_record
       AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
       AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
       AND (%(source_id)s = '' OR r.source_id = %(source_id)s
            OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
     OFFSET 0
   ) x
   WHERE rel.agent_id = %(agent_id)s
     AND rel.subject_record = f.id
     AND rel.normalized_predicate = ANY (%(predicates)s::text[])
     AND (%(project_id)s::text IS NULL OR rel.project_id = %(project_id)s OR rel.project_id = '')
     AND (%(channel)s = '' OR rel.channel = %(channel)s OR rel.channel = '')
   ORDER BY rel.id DESC
   LIMIT %(per_record)s)
  UNION ALL
  (SELECT false, rel.id, rel.normalized_predicate, rel.declared_at, x.kind, x.id, x.at
   FROM relations rel
   CROSS JOIN LATERAL (
     SELECT r.kind, r.id, coalesce(r.occurred_at, r.created_at) AS at
     FROM records r
     WHERE r.agent_id = %(agent_id)s
       AND r.agent_id = rel.agent_id
       AND r.id = rel.subject_record
       AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
       AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
       AND (%(source_id)s = '' OR r.source_id = %(source_id)s
            OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
     OFFSET 0
   ) x
   WHERE rel.agent_id = %(agent_id)s
     AND rel.object_record = f.id
     AND rel.normalized_predicate = ANY (%(predicates)s::text[])
     AND (%(project_id)s::text IS NULL OR rel.project_id = %(project_id)s OR rel.project_id = '')
     AND (%(channel)s = '' OR rel.channel = %(channel)s OR rel.channel = '')
   ORDER BY rel.id DESC
   LIMIT %(per_record)s)
) n
ORDER BY n.id DESC
