-- Takes relations back.
-- in:  agent_id text, relation_ids bigint[]
-- out: id bigint, one row a relation that stood
-- uses: the primary key
DELETE FROM relations AS r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(relation_ids)s::bigint[])
RETURNING r.id
