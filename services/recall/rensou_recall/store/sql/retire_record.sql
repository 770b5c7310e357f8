-- Retires a record: triggers move aside what searches read of it, and the caller ids that it gives up.
-- in:  agent_id, record_id, reason, policy ('': by hand), retired_by
-- out: retired_at, how many caller ids it gives up
-- uses: the primary key, record_caller_ids_record
WITH given AS MATERIALIZED (
  SELECT count(*) AS caller_ids
  FROM record_caller_ids c
  WHERE c.agent_id = %(agent_id)s
    AND c.record_id = %(record_id)s
),
gone AS (
  UPDATE records AS r
  SET retired_at = statement_timestamp()
  WHERE r.agent_id = %(agent_id)s
    AND r.id = %(record_id)s
  RETURNING r.agent_id, r.id, r.retired_at
),
kept AS (
  INSERT INTO record_retirements AS n (agent_id, record_id, reason, policy, retired_by, retired_at)
  SELECT g.agent_id, g.id, %(reason)s, %(policy)s, %(retired_by)s, g.retired_at
  FROM gone g
)
SELECT g.retired_at, x.caller_ids
FROM gone g
CROSS JOIN given x
