-- How often each verdict was given, by month of the recall (UTC), project and reason.
-- in:  agent_id text, project_id text or null, months int, keep int
-- out: month text, project_id text, verdict text, code text, reports bigint, found bigint (rows before the cut)
-- uses: recall_log_newest, the primary key of use_reports
SELECT to_char(date_trunc('month', l.at AT TIME ZONE 'UTC'), 'YYYY-MM') AS month, l.project_id, u.verdict, u.code,
       count(*) AS reports, count(*) OVER () AS found
FROM recall_log l
JOIN use_reports u ON u.agent_id = l.agent_id AND u.recall_id = l.recall_id
WHERE l.agent_id = %(agent_id)s
  AND u.agent_id = %(agent_id)s
  AND (%(project_id)s::text IS NULL OR l.project_id = %(project_id)s)
  AND l.at >= (date_trunc('month', statement_timestamp() AT TIME ZONE 'UTC') - make_interval(months => %(months)s - 1))
              AT TIME ZONE 'UTC'
GROUP BY 1, 2, 3, 4
ORDER BY 1 DESC, 2, array_position(ARRAY['used', 'unused', 'wrong'], u.verdict),
         array_position(ARRAY['none', 'system_degraded', 'stale_conflict', 'unattributed', 'candidate_miss',
                              'filter_drop', 'ranking_miss', 'evidence_noise'], u.code)
LIMIT %(keep)s
