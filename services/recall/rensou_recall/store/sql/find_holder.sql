-- Another live record that holds a text in the same scope, source, session and time as the record.
-- in:  agent_id, record_id, content_sha256
-- out: kind, id
-- uses: the primary key, records_same_content
SELECT o.kind, o.id
FROM records r
JOIN records o
  ON o.agent_id = r.agent_id
  AND o.kind = r.kind
  AND o.project_id = r.project_id
  AND o.channel = r.channel
  AND o.source_type = r.source_type
  AND o.source_id = r.source_id
  AND o.session_id = r.session_id
  AND o.occurred_at IS NOT DISTINCT FROM r.occurred_at
  AND o.ended_at IS NOT DISTINCT FROM r.ended_at
WHERE r.agent_id = %(agent_id)s
  AND o.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
  AND o.id <> r.id
  AND o.content_sha256 = %(content_sha256)s
  AND o.retired_at IS NULL
ORDER BY o.id
LIMIT 1
