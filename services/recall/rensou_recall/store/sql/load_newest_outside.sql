-- The newest records that the call may read and that are asserted to be true at other times than one instant.
-- in:  scope, above bigint (the number that theirs are above), keep (rows wanted), valid_at timestamptz
-- out: kind, id, how many there are before the cut; newest stored first
-- uses: validity_open_record, the primary key of records
SELECT r.kind, r.id, count(*) OVER ()
FROM validity_assertions v
JOIN records r ON r.agent_id = v.agent_id AND r.id = v.record_id
WHERE v.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND v.record_id > %(above)s
  AND v.superseded_at IS NULL
  AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
ORDER BY r.id DESC
LIMIT %(keep)s
