-- Which of some records are asserted to be true at other times than one instant, as far as the call may read them.
-- in:  ids bigint[], valid_at timestamptz, scope
-- out: kind, id
-- uses: validity_open_record, the primary key of records
SELECT r.kind, r.id
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s::bigint[])
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
  AND EXISTS (
    SELECT
    FROM validity_assertions v
    WHERE v.agent_id = %(agent_id)s
      AND v.record_id = r.id
      AND v.superseded_at IS NULL
      AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
    OFFSET 0
  )
ORDER BY r.id
