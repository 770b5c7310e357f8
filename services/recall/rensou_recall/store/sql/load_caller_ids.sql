-- The caller ids of records.
-- in:  agent_id, ids bigint[] (readable already)
-- out: record_id, project_id, channel, caller_id
-- uses: record_caller_ids_record
SELECT c.record_id, c.project_id, c.channel, c.caller_id
FROM record_caller_ids c
WHERE c.agent_id = %(agent_id)s
  AND c.record_id = ANY (%(ids)s::bigint[])
ORDER BY c.caller_id, c.project_id, c.channel, c.record_id
