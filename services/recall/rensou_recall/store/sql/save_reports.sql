-- Keeps verdicts on records; the last one of a record counts.
-- in:  agent_id, recall_id text, record_ids bigint[] (rising), verdicts, codes text[]
-- out: nothing
INSERT INTO use_reports AS u (agent_id, recall_id, record_id, verdict, code)
SELECT %(agent_id)s, %(recall_id)s, n.record_id, n.verdict, n.code
FROM unnest(%(record_ids)s::bigint[], %(verdicts)s::text[], %(codes)s::text[]) AS n (record_id, verdict, code)
ORDER BY n.record_id
ON CONFLICT (agent_id, recall_id, record_id)
DO UPDATE SET verdict = EXCLUDED.verdict, code = EXCLUDED.code, last_at = clock_timestamp(), times = u.times + 1
