-- What the order of claims needs of records, as far as the call may read them.
-- in:  ids bigint[], scope
-- out: id, kind, occurred_at
-- uses: the primary key of records
SELECT r.id, r.kind, r.occurred_at
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s::bigint[])
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
ORDER BY r.id
