-- Relations between records that are, or of which an end is, asserted to be true at other times than one instant alone.
-- in:  agent_id, relation_ids bigint[] (readable already), valid_at timestamptz
-- out: id
-- uses: the primary key of relations, validity_open_relation, validity_open_record
SELECT rel.id
FROM relations rel
WHERE rel.agent_id = %(agent_id)s
  AND rel.id = ANY (%(relation_ids)s::bigint[])
  AND (
    EXISTS (
      SELECT
      FROM validity_assertions v
      WHERE v.agent_id = %(agent_id)s
        AND v.relation_id = rel.id
        AND v.superseded_at IS NULL
        AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
      OFFSET 0
    )
    OR EXISTS (
      SELECT
      FROM validity_assertions w
      WHERE w.agent_id = %(agent_id)s
        AND w.record_id = ANY (ARRAY[rel.subject_record, rel.object_record])
        AND w.superseded_at IS NULL
        AND (w.valid_from > %(valid_at)s OR w.valid_to <= %(valid_at)s)
      OFFSET 0
    )
  )
ORDER BY rel.id
