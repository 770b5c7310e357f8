-- The newest records of a period that the call may read: what a time cue adds to a blank question. A record is of the
-- period when it happened in it, and when it is asserted to be true at some instant of it.
-- in:  start_at, end_at timestamptz (half-open), scope, depth (rows wanted)
-- out: record_id, newest first
-- uses: records_time, backwards; validity_open_record, the primary key of records
SELECT u.id
FROM (
  (
    SELECT r.id, r.happened_at
    FROM records r
    WHERE r.agent_id = %(agent_id)s
      AND r.happened_at >= %(start_at)s
      AND r.happened_at < %(end_at)s
      AND r.retired_at IS NULL
      AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
      AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
      AND (%(source_id)s = '' OR r.source_id = %(source_id)s
           OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
    ORDER BY r.happened_at DESC, r.id DESC
    LIMIT %(depth)s
  )
  UNION
  (
    SELECT s.id, s.happened_at
    FROM validity_assertions v
    CROSS JOIN LATERAL (
      SELECT k.id, k.happened_at, k.project_id, k.channel, k.source_id
      FROM records k
      WHERE k.agent_id = %(agent_id)s
        AND k.id = v.record_id
        AND k.retired_at IS NULL
      OFFSET 0
    ) s
    WHERE v.agent_id = %(agent_id)s
      AND v.record_id IS NOT NULL
      AND v.superseded_at IS NULL
      AND coalesce(v.valid_from < %(end_at)s, true)
      AND coalesce(v.valid_to > %(start_at)s, true)
      AND (%(project_id)s::text IS NULL OR s.project_id = %(project_id)s OR s.project_id = '')
      AND (%(channel)s = '' OR s.channel = %(channel)s OR s.channel = '')
      AND (%(source_id)s = '' OR s.source_id = %(source_id)s
           OR (%(source_is_prefix)s AND starts_with(s.source_id, %(source_id)s)))
    ORDER BY s.happened_at DESC, s.id DESC
    LIMIT %(depth)s
  )
) u
ORDER BY u.happened_at DESC, u.id DESC
LIMIT %(depth)s
