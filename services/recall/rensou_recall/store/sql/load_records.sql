-- Records by id, as far as the call may read them.
-- in:  ids bigint[], scope
-- out: the columns of a stored record; content is verbatim, times are UTC
-- uses: the primary key
SELECT r.kind, r.id, r.content, r.project_id, r.channel, r.source_type, r.source_id, r.source_name, r.session_id,
       r.occurred_at, r.ended_at, r.created_at, r.locked, r.revision
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s::bigint[])
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
ORDER BY r.id
