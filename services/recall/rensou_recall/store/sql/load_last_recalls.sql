-- When records were last returned by a recall on record.
-- in:  agent_id, ids bigint[]
-- out: record_id bigint, at timestamptz
-- uses: recall_log_newest; reads the agent's log, at most 10,000 rows
SELECT x.record_id, max(l.at)
FROM recall_log l
CROSS JOIN LATERAL unnest(l.returned_ids) AS x (record_id)
WHERE l.agent_id = %(agent_id)s
  AND x.record_id = ANY (%(ids)s::bigint[])
GROUP BY x.record_id
ORDER BY x.record_id
