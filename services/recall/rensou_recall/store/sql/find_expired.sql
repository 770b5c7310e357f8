-- What stands asserted to be true until an instant that has passed.
-- in:  agent_id, keep (rows wanted)
-- out: kind or NULL, record_id or NULL, relation_id or NULL, how many there are before the cut; records before relations,
--      each by number
-- uses: validity_open_record, the primary key of records
SELECT r.kind, v.record_id, v.relation_id, count(*) OVER ()
FROM validity_assertions v
LEFT JOIN records r
  ON r.agent_id = %(agent_id)s
  AND r.id = v.record_id
WHERE v.agent_id = %(agent_id)s
  AND v.superseded_at IS NULL
  AND v.valid_to <= transaction_timestamp()
ORDER BY v.record_id NULLS LAST, v.relation_id
LIMIT %(keep)s
