-- Closes what stands asserted of targets and asserts anew, all at one instant; of what the transaction has just stored or
-- declared, at the instant of that.
-- in:  agent_id, asserted_by text; by position: record_ids, relation_ids bigint[] (one of both NULL), open_ids bigint[]
--      (the assertion to close or NULL), valid_from, valid_to timestamptz[], are_new boolean[]
-- out: id, one row a target
-- uses: the primary keys
WITH given AS MATERIALIZED (
  SELECT g.record_id, g.relation_id, g.open_id, g.valid_from, g.valid_to, g.is_new, g.place
  FROM unnest(
    %(record_ids)s::bigint[], %(relation_ids)s::bigint[], %(open_ids)s::bigint[], %(valid_from)s::timestamptz[],
    %(valid_to)s::timestamptz[], %(are_new)s::boolean[]
  ) WITH ORDINALITY AS g (record_id, relation_id, open_id, valid_from, valid_to, is_new, place)
),
-- A clock that was set back closes nothing before it began.
closed AS (
  UPDATE validity_assertions AS v
  SET superseded_at = greatest(statement_timestamp(), v.recorded_at)
  FROM given g
  WHERE v.agent_id = %(agent_id)s
    AND v.id = g.open_id
    AND v.superseded_at IS NULL
  RETURNING g.place, v.superseded_at
)
INSERT INTO validity_assertions AS n (
  agent_id, record_id, relation_id, valid_from, valid_to, asserted_by, recorded_at
)
SELECT %(agent_id)s, g.record_id, g.relation_id, g.valid_from, g.valid_to, %(asserted_by)s,
       coalesce(c.superseded_at, r.created_at, rel.declared_at, statement_timestamp())
FROM given g
LEFT JOIN closed c ON c.place = g.place
LEFT JOIN records r
  ON r.agent_id = %(agent_id)s
  AND r.id = g.record_id
  AND g.is_new
LEFT JOIN relations rel
  ON rel.agent_id = %(agent_id)s
  AND rel.id = g.relation_id
  AND g.is_new
ORDER BY g.place
RETURNING n.id
