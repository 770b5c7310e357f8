-- Of what is reported unused: noise while all that is reported of the recall is unused, nothing otherwise.
-- in:  agent_id, recall_id text, record_ids bigint[]
-- out: record_id bigint, code text, of record_ids
-- uses: the primary key
WITH settled AS (
  UPDATE use_reports u
  SET code = CASE WHEN a.is_noise THEN 'evidence_noise' ELSE 'none' END
  FROM (
    SELECT bool_and(r.verdict = 'unused') AS is_noise
    FROM use_reports r
    WHERE r.agent_id = %(agent_id)s
      AND r.recall_id = %(recall_id)s
  ) a
  WHERE u.agent_id = %(agent_id)s
    AND u.recall_id = %(recall_id)s
    AND u.verdict = 'unused'
    AND u.code IN ('none', 'evidence_noise')
  RETURNING u.record_id, u.code
)
SELECT k.record_id, coalesce(s.code, k.code)
FROM use_reports k
LEFT JOIN settled s ON s.record_id = k.record_id
WHERE k.agent_id = %(agent_id)s
  AND k.recall_id = %(recall_id)s
  AND k.record_id = ANY (%(record_ids)s::bigint[])
ORDER BY k.record_id
