-- Live, unlocked records of a place, oldest first, as far as the tests that the table itself answers let them pass.
-- in:  agent_id, project_id, channel ('': any), older_than_days or NULL, source_type or NULL, test_channel or NULL,
--      after_at, after_kind, after_id (the place; after_at NULL: from the start), look (rows at most)
-- out: kind, id, created_at, source_type, channel, locked, retired, the transaction's time
-- uses: the primary key
SELECT r.kind, r.id, r.created_at, r.source_type, r.channel, r.locked, r.retired_at IS NOT NULL, transaction_timestamp()
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.project_id = %(project_id)s
  AND (%(channel)s = '' OR r.channel = %(channel)s)
  AND r.retired_at IS NULL
  AND NOT r.locked
  AND (%(older_than_days)s::integer IS NULL
       OR r.created_at < transaction_timestamp() - make_interval(hours => 24 * %(older_than_days)s::integer))
  AND (%(source_type)s::text IS NULL OR r.source_type = %(source_type)s)
  AND (%(test_channel)s::text IS NULL OR r.channel = %(test_channel)s)
  AND (%(after_at)s::timestamptz IS NULL OR (r.created_at, r.kind, r.id) > (%(after_at)s, %(after_kind)s, %(after_id)s))
ORDER BY r.created_at, r.kind, r.id
LIMIT %(look)s
