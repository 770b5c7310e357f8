-- The live record that holds this text in the same scope, source, session and time.
-- in:  agent_id, kind, project_id, channel, source_type, source_id, session_id, occurred_at, ended_at, content_sha256
-- The record is held against being forgotten until the transaction ends.
-- out: kind, id
-- uses: records_same_content
SELECT r.kind, r.id
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.kind = %(kind)s
  AND r.project_id = %(project_id)s
  AND r.channel = %(channel)s
  AND r.source_type = %(source_type)s
  AND r.source_id = %(source_id)s
  AND r.session_id = %(session_id)s
  AND r.occurred_at IS NOT DISTINCT FROM %(occurred_at)s::timestamptz
  AND r.ended_at IS NOT DISTINCT FROM %(ended_at)s::timestamptz
  AND r.content_sha256 = %(content_sha256)s
  AND r.retired_at IS NULL
FOR KEY SHARE OF r
