-- Locks or unlocks a record.
-- in:  agent_id, record_id, locked
UPDATE records AS r
SET locked = %(locked)s
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
