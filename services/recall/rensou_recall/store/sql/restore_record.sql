-- Makes a retired record live: triggers move back what was moved aside. The entry of its retirement is closed.
-- in:  agent_id, record_id, restored_by
-- uses: the primary key, record_retirements_record
WITH back AS (
  UPDATE records AS r
  SET retired_at = NULL
  WHERE r.agent_id = %(agent_id)s
    AND r.id = %(record_id)s
  RETURNING r.agent_id, r.id
)
UPDATE record_retirements AS n
SET restored_by = %(restored_by)s,
    restored_at = statement_timestamp()
FROM back b
WHERE n.agent_id = %(agent_id)s
  AND n.agent_id = b.agent_id
  AND n.record_id = b.id
  AND n.restored_at IS NULL
