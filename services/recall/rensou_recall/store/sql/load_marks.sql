-- Whether a record is locked, and since when it is retired.
-- in:  agent_id, record_id
-- out: locked, retired_at or NULL
-- uses: the primary key
SELECT r.locked, r.retired_at
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
