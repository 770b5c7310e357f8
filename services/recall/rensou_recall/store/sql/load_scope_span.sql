-- When the oldest and the newest record that the call may read happened.
-- in:  scope
-- out: oldest_at, newest_at timestamptz; both NULL when it may read none
-- uses: records_time, from both ends
SELECT
  (SELECT r.happened_at
   FROM records r
   WHERE r.agent_id = %(agent_id)s
     AND r.retired_at IS NULL
     AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
     AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
     AND (%(source_id)s = '' OR r.source_id = %(source_id)s
          OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
   ORDER BY r.happened_at, r.id
   LIMIT 1) AS oldest_at,
  (SELECT n.happened_at
   FROM records n
   WHERE n.agent_id = %(agent_id)s
     AND n.retired_at IS NULL
     AND (%(project_id)s::text IS NULL OR n.project_id = %(project_id)s OR n.project_id = '')
     AND (%(channel)s = '' OR n.channel = %(channel)s OR n.channel = '')
     AND (%(source_id)s = '' OR n.source_id = %(source_id)s
          OR (%(source_is_prefix)s AND starts_with(n.source_id, %(source_id)s)))
   ORDER BY n.happened_at DESC, n.id DESC
   LIMIT 1) AS newest_at
