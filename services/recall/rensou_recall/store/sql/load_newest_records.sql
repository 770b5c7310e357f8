-- The newest records that the call may read: the answer to a blank question.
-- in:  scope, keep (rows wanted)
-- out: as load_records, newest stored first
-- uses: the primary key, backwards, validity_open_record
SELECT r.kind, r.id, r.content, r.project_id, r.channel, r.source_type, r.source_id, r.source_name, r.session_id,
       r.occurred_at, r.ended_at, r.created_at, r.locked, r.revision,
       r.retired_at IS NOT NULL, v.recorded_at, v.valid_from, v.valid_to, transaction_timestamp()
FROM (
  SELECT n.*
  FROM records n
  WHERE n.agent_id = %(agent_id)s
    AND n.retired_at IS NULL
    AND (%(project_id)s::text IS NULL OR n.project_id = %(project_id)s OR n.project_id = '')
    AND (%(channel)s = '' OR n.channel = %(channel)s OR n.channel = '')
    AND (%(source_id)s = '' OR n.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(n.source_id, %(source_id)s)))
  ORDER BY n.id DESC
  LIMIT %(keep)s
) r
LEFT JOIN LATERAL (
  SELECT a.recorded_at, a.valid_from, a.valid_to
  FROM validity_assertions a
  WHERE a.agent_id = %(agent_id)s
    AND a.record_id = r.id
    AND a.superseded_at IS NULL
  OFFSET 0
) v ON true
ORDER BY r.id DESC
