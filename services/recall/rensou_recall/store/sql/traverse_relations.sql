-- Readable relations between entities, newest first; an anchor is named when the call may read it.
-- in:  scope; entity_ids bigint[]; keep int
-- out: id, subject_entity bigint, predicate text, object_entity bigint, declared_by text, declared_at timestamptz,
--      anchor_kind text or null, anchor_record bigint or null, found bigint (how many there are before the cut)
-- uses: relations_subject_entity, the primary key of records
SELECT n.id, n.subject_entity, n.predicate, n.object_entity, n.declared_by, n.declared_at, x.kind, x.id, n.found
FROM (
  SELECT r.agent_id, r.id, r.subject_entity, r.predicate, r.object_entity, r.declared_by, r.declared_at,
         r.anchor_record, count(*) OVER () AS found
  FROM relations r
  WHERE r.agent_id = %(agent_id)s
    AND r.subject_entity = ANY (%(entity_ids)s::bigint[])
    AND r.object_entity = ANY (%(entity_ids)s::bigint[])
    AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
    AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  ORDER BY r.declared_at DESC, r.id
  LIMIT %(keep)s
) n
LEFT JOIN LATERAL (
  SELECT a.kind, a.id
  FROM records a
  WHERE a.agent_id = %(agent_id)s
    AND a.agent_id = n.agent_id
    AND a.id = n.anchor_record
    AND (%(project_id)s::text IS NULL OR a.project_id = %(project_id)s OR a.project_id = '')
    AND (%(channel)s = '' OR a.channel = %(channel)s OR a.channel = '')
    AND (%(source_id)s = '' OR a.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(a.source_id, %(source_id)s)))
  OFFSET 0
) x ON true
ORDER BY n.declared_at DESC, n.id
