-- What was asserted of when a record or a relation was true, after a place in its history, oldest first.
-- in:  agent_id; record_id, relation_id bigint (one of them NULL; readable already); after_at timestamptz, after_number;
--      keep integer
-- out: recorded_at, id, valid_from, valid_to, asserted_by, superseded_at; times NULL where there is none
-- uses: the indexes of both tables on their targets
SELECT x.recorded_at, x.id, x.valid_from, x.valid_to, x.asserted_by, x.superseded_at
FROM (
  SELECT v.agent_id, v.id, v.valid_from, v.valid_to, v.asserted_by, v.recorded_at, v.superseded_at
  FROM validity_assertions v
  WHERE v.agent_id = %(agent_id)s
    AND (v.record_id = %(record_id)s::bigint OR v.relation_id = %(relation_id)s::bigint)
  UNION ALL
  SELECT h.agent_id, h.id, h.valid_from, h.valid_to, h.asserted_by, h.recorded_at, h.superseded_at
  FROM validity_history h
  WHERE h.agent_id = %(agent_id)s
    AND h.relation_id = %(relation_id)s::bigint
) x
WHERE (x.recorded_at, x.id) > (%(after_at)s::timestamptz, %(after_number)s::bigint)
ORDER BY x.recorded_at, x.id
LIMIT %(keep)s
