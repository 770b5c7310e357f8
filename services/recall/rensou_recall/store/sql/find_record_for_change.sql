-- A record that is to be changed, held against other changes until the transaction ends.
-- in:  agent_id, kind, record_id
-- out: locked, revision, content_sha256, project_id, channel, source_id, whether it is retired
-- uses: the primary key
SELECT r.locked, r.revision, r.content_sha256, r.project_id, r.channel, r.source_id,
       r.retired_at IS NOT NULL
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
  AND r.kind = %(kind)s
FOR UPDATE
