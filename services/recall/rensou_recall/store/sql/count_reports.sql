-- How often records were reported with a verdict, by recalls on record.
-- in:  agent_id, verdict text, ids bigint[]
-- out: record_id bigint, reports bigint
-- uses: use_reports_record
SELECT u.record_id, count(*)
FROM use_reports u
WHERE u.agent_id = %(agent_id)s
  AND u.record_id = ANY (%(ids)s::bigint[])
  AND u.verdict = %(verdict)s
GROUP BY u.record_id
ORDER BY u.record_id
