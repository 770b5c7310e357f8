-- The kinds of records, as far as the call may read them: what their refs lack.
-- in:  ids bigint[], scope
-- out: kind, record_id
-- uses: the primary key
SELECT r.kind, r.id
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s)
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
ORDER BY r.id
