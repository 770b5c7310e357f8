-- The newest records that the call may read and that are not asserted to be true at other times than one instant alone.
-- in:  scope, keep (rows wanted), valid_at timestamptz
-- out: as load_records, newest stored first
-- uses: the primary key, backwards, validity_open_record
SELECT r.kind, r.id, r.content, r.project_id, r.channel, r.source_type, r.source_id, r.source_name, r.session_id,
       r.occurred_at, r.ended_at, r.created_at, r.locked, r.revision,
       r.retired_at IS NOT NULL, v.recorded_at, v.valid_from, v.valid_to, transaction_timestamp()
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
  AND r.retired_at IS NULL
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
  AND coalesce(v.valid_from <= %(valid_at)s, true)
  AND coalesce(v.valid_to > %(valid_at)s, true)
ORDER BY r.id DESC
LIMIT %(keep)s
