-- How often records were reported with a verdict, by recalls on record that came after the text that stands.
-- in:  agent_id, verdict text, ids bigint[]
-- out: record_id bigint, reports bigint
-- uses: use_reports_record, the primary keys of recall_log and records
SELECT u.record_id, count(*)
FROM use_reports u
JOIN recall_log l ON l.agent_id = u.agent_id AND l.recall_id = u.recall_id
JOIN records r ON r.id = u.record_id
WHERE u.agent_id = %(agent_id)s
  AND l.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND l.at >= coalesce(r.revised_at, '-infinity')
  AND u.record_id = ANY (%(ids)s::bigint[])
  AND u.verdict = %(verdict)s
GROUP BY u.record_id
ORDER BY u.record_id
