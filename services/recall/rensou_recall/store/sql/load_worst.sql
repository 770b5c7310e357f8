-- The records that were reported wrong most often, then unused.
-- in:  agent_id text, project_id text or null, months int, keep int
-- out: kind text, id bigint, wrong bigint, unused bigint, used bigint
-- uses: recall_log_newest, the primary keys of use_reports and records
SELECT r.kind, r.id, n.wrong, n.unused, n.used
FROM (
  SELECT u.record_id, count(*) FILTER (WHERE u.verdict = 'wrong') AS wrong,
         count(*) FILTER (WHERE u.verdict = 'unused') AS unused, count(*) FILTER (WHERE u.verdict = 'used') AS used
  FROM recall_log l
  JOIN use_reports u ON u.agent_id = l.agent_id AND u.recall_id = l.recall_id
  WHERE l.agent_id = %(agent_id)s
    AND u.agent_id = %(agent_id)s
    AND (%(project_id)s::text IS NULL OR l.project_id = %(project_id)s)
    AND l.at >= (date_trunc('month', statement_timestamp() AT TIME ZONE 'UTC')
                 - make_interval(months => %(months)s - 1)) AT TIME ZONE 'UTC'
  GROUP BY u.record_id
) n
JOIN records r ON r.id = n.record_id
WHERE r.agent_id = %(agent_id)s
  AND n.wrong + n.unused > 0
ORDER BY n.wrong DESC, n.unused DESC, r.kind, r.id
LIMIT %(keep)s
