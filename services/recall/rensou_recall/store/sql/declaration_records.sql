-- The records that a declaration names, held so that none is forgotten before the declaration stands.
-- in:  agent_id text, record_ids bigint[]
-- out: id bigint, kind, project_id, channel text
-- uses: the primary key
SELECT r.id, r.kind, r.project_id, r.channel
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(record_ids)s::bigint[])
ORDER BY r.id
FOR KEY SHARE
