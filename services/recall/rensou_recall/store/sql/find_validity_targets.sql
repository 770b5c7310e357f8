-- Of records and relations of the agent, what stands asserted.
-- in:  agent_id; by position record_ids bigint[] and kinds text[]; relation_ids bigint[]
-- out: kind and record_id, or both NULL, relation_id or NULL; of the open assertion id, valid_from, valid_to (id NULL: none)
-- uses: the primary keys of records and relations, validity_open_record, validity_open_relation
SELECT r.kind, r.id AS record_id, NULL::bigint AS relation_id, v.id, v.valid_from, v.valid_to
FROM unnest(%(record_ids)s::bigint[], %(kinds)s::text[]) AS x (id, kind)
CROSS JOIN LATERAL (
  SELECT k.id, k.kind
  FROM records k
  WHERE k.agent_id = %(agent_id)s
    AND k.id = x.id
    AND k.kind = x.kind
  OFFSET 0
) r
LEFT JOIN LATERAL (
  SELECT vv.id, vv.valid_from, vv.valid_to
  FROM validity_assertions vv
  WHERE vv.agent_id = %(agent_id)s
    AND vv.record_id = r.id
    AND vv.superseded_at IS NULL
  OFFSET 0
) v ON true
UNION ALL
SELECT NULL, NULL, rel.id, w.id, w.valid_from, w.valid_to
FROM unnest(%(relation_ids)s::bigint[]) AS y (id)
CROSS JOIN LATERAL (
  SELECT k.id
  FROM relations k
  WHERE k.agent_id = %(agent_id)s
    AND k.id = y.id
  OFFSET 0
) rel
LEFT JOIN LATERAL (
  SELECT ww.id, ww.valid_from, ww.valid_to
  FROM validity_assertions ww
  WHERE ww.agent_id = %(agent_id)s
    AND ww.relation_id = rel.id
    AND ww.superseded_at IS NULL
  OFFSET 0
) w ON true
ORDER BY record_id, relation_id
