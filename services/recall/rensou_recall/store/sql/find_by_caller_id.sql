-- The record stored under a caller id.
-- in:  agent_id, project_id, channel, caller_id
-- The record is held against being forgotten until the transaction ends.
-- out: kind, id, content_sha256 of the text that was stored under the id (a later revision does not change it)
-- uses: the primary key of record_caller_ids
SELECT r.kind, r.id, c.content_sha256
FROM record_caller_ids c
JOIN records r ON r.agent_id = c.agent_id AND r.id = c.record_id
WHERE c.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND c.project_id = %(project_id)s
  AND c.channel = %(channel)s
  AND c.caller_id = %(caller_id)s
FOR KEY SHARE OF r
