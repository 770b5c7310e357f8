-- The newest records that the call may read and that are asserted to be true at other times than one instant.
-- in:  scope, above bigint (the number that theirs are above), keep (rows wanted), valid_at timestamptz
-- out: kind, id, how many there are before the cut; newest stored first
-- uses: validity_open_record, the primary key of records
SELECT r.kind, r.id, count(*) OVER ()
FROM validity_assertions v
CROSS JOIN LATERAL (
  SELECT k.kind, k.id
  FROM records k
  WHERE k.agent_id = %(agent_id)s
    AND k.id = v.record_id
    AND k.retired_at IS NULL
    AND (%(project_id)s::text IS NULL OR k.project_id = %(project_id)s OR k.project_id = '')
    AND (%(channel)s = '' OR k.channel = %(channel)s OR k.channel = '')
    AND (%(source_id)s = '' OR k.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(k.source_id, %(source_id)s)))
  OFFSET 0
) r
WHERE v.agent_id = %(agent_id)s
  AND v.record_id > %(above)s
  AND v.superseded_at IS NULL
  AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
ORDER BY r.id DESC
LIMIT %(keep)s
