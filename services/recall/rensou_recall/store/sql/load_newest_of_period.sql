-- The newest records of a period that the call may read: what a time cue adds to a blank question.
-- in:  start_at, end_at timestamptz (half-open), scope, depth (rows wanted)
-- out: record_id, newest first
-- uses: records_time, backwards
SELECT r.id
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.happened_at >= %(start_at)s
  AND r.happened_at < %(end_at)s
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
ORDER BY r.happened_at DESC, r.id DESC
LIMIT %(depth)s
