-- Relations as lists show them; an anchor is named when the call may read it.
-- in:  scope; ids bigint[] (relations that the call reads with both their ends)
-- out: id bigint, project_id, channel, predicate (as written), normalized_predicate, declared_by text, declared_at
--      timestamptz; of subject, then object: entity bigint, name, kind text, record bigint (two of them null); anchor:
--      kind text, record bigint, or null; certainty text or null
-- uses: the primary keys
SELECT r.id, r.project_id, r.channel, r.predicate, r.normalized_predicate, r.declared_by, r.declared_at,
       r.subject_entity, se.name, sr.kind, r.subject_record, r.object_entity, oe.name, ob.kind, r.object_record,
       x.kind, x.id, r.certainty
FROM relations r
LEFT JOIN entities se
  ON se.agent_id = %(agent_id)s
 AND se.id = r.subject_entity
LEFT JOIN records sr
  ON sr.agent_id = %(agent_id)s
 AND sr.id = r.subject_record
LEFT JOIN entities oe
  ON oe.agent_id = %(agent_id)s
 AND oe.id = r.object_entity
LEFT JOIN records ob
  ON ob.agent_id = %(agent_id)s
 AND ob.id = r.object_record
LEFT JOIN records x
  ON x.agent_id = %(agent_id)s
 AND x.id = r.anchor_record
 AND (%(project_id)s::text IS NULL OR x.project_id = %(project_id)s OR x.project_id = '')
 AND (%(channel)s = '' OR x.channel = %(channel)s OR x.channel = '')
 AND (%(source_id)s = '' OR x.source_id = %(source_id)s
      OR (%(source_is_prefix)s AND starts_with(x.source_id, %(source_id)s)))
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s::bigint[])
ORDER BY r.id
