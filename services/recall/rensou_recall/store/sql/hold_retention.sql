-- Records of a place by id, held against other changes until the transaction ends, in the order of their numbers.
-- in:  agent_id, project_id, channel ('': any), ids bigint[]
-- out: kind, id, created_at, source_type, channel, locked, retired, the transaction's time
-- uses: the primary key
SELECT r.kind, r.id, r.created_at, r.source_type, r.channel, r.locked, r.retired_at IS NOT NULL, transaction_timestamp()
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s::bigint[])
  AND r.project_id = %(project_id)s
  AND (%(channel)s = '' OR r.channel = %(channel)s)
ORDER BY r.id
FOR UPDATE
