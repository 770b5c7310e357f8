-- Which of some records are asserted to be true no more.
-- in:  agent_id, ids bigint[]
-- out: record_id, valid_to
-- uses: validity_open_record
SELECT v.record_id, v.valid_to
FROM validity_assertions v
WHERE v.agent_id = %(agent_id)s
  AND v.record_id = ANY (%(ids)s::bigint[])
  AND v.superseded_at IS NULL
  AND v.valid_to <= transaction_timestamp()
ORDER BY v.record_id
