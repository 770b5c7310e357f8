-- What the order of claims needs of records, as far as the call may read them.
-- in:  ids bigint[], scope
-- out: id, kind, occurred_at; what stands asserted and the time, as in load_records
-- uses: the primary key of records, validity_open_record
SELECT r.id, r.kind, r.occurred_at, v.recorded_at, v.valid_from, v.valid_to, transaction_timestamp()
FROM records r
LEFT JOIN LATERAL (
  SELECT a.recorded_at, a.valid_from, a.valid_to
  FROM validity_assertions a
  WHERE a.agent_id = %(agent_id)s
    AND a.record_id = r.id
    AND a.superseded_at IS NULL
  OFFSET 0
) v ON true
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s::bigint[])
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
ORDER BY r.id
