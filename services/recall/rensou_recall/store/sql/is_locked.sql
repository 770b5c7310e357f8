-- Whether a record is locked.
-- in:  agent_id, record_id
-- out: locked
-- uses: the primary key
SELECT r.locked
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
