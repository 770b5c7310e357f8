-- A record's present text, and whether its terms are of the present version.
-- in:  agent_id, record_id, terms_version
-- out: content, content_sha256, has_terms
-- uses: records_pkey, record_terms_pkey
SELECT
  r.content,
  r.content_sha256,
  EXISTS (
    SELECT
    FROM record_terms t
    WHERE t.agent_id = %(agent_id)s
      AND t.record_id = r.id
      AND t.terms_version = %(terms_version)s
  )
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
