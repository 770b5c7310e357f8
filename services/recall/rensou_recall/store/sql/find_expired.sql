-- What stands asserted to be true until an instant that has passed.
-- in:  agent_id, keep (rows wanted)
-- out: kind or NULL, record_id or NULL, relation_id or NULL, how many there are before the cut; records before relations,
--      each by number
-- uses: validity_open_record, the primary key of records
SELECT r.kind, e.record_id, e.relation_id, e.found
FROM (
  SELECT v.record_id, v.relation_id, count(*) OVER () AS found
  FROM validity_assertions v
  WHERE v.agent_id = %(agent_id)s
    AND v.superseded_at IS NULL
    AND v.valid_to <= transaction_timestamp()
    AND NOT EXISTS (
      SELECT 1
      FROM records t
      WHERE t.agent_id = %(agent_id)s
        AND t.id = v.record_id
        AND t.retired_at IS NOT NULL
    )
  ORDER BY v.record_id NULLS LAST, v.relation_id
  LIMIT %(keep)s
) e
LEFT JOIN LATERAL (
  SELECT k.kind
  FROM records k
  WHERE k.agent_id = %(agent_id)s
    AND k.id = e.record_id
  OFFSET 0
) r ON true
ORDER BY e.record_id NULLS LAST, e.relation_id
