-- Of records and relations of the agent, what stands asserted.
-- in:  agent_id; by position record_ids bigint[] and kinds text[]; relation_ids bigint[]
-- out: kind and record_id, or both NULL, relation_id or NULL; of the open assertion id, valid_from, valid_to (id NULL: none)
-- uses: the primary keys of records and relations, validity_open_record, validity_open_relation
SELECT r.kind, r.id AS record_id, NULL::bigint AS relation_id, v.id, v.valid_from, v.valid_to
FROM unnest(%(record_ids)s::bigint[], %(kinds)s::text[]) AS x (id, kind)
JOIN records r ON r.id = x.id AND r.kind = x.kind
LEFT JOIN validity_assertions v
  ON v.agent_id = %(agent_id)s
  AND v.record_id = r.id
  AND v.superseded_at IS NULL
WHERE r.agent_id = %(agent_id)s
UNION ALL
SELECT NULL, NULL, rel.id, w.id, w.valid_from, w.valid_to
FROM unnest(%(relation_ids)s::bigint[]) AS y (id)
JOIN relations rel ON rel.id = y.id
LEFT JOIN validity_assertions w
  ON w.agent_id = %(agent_id)s
  AND w.relation_id = rel.id
  AND w.superseded_at IS NULL
WHERE rel.agent_id = %(agent_id)s
ORDER BY record_id, relation_id
