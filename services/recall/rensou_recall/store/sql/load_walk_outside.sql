-- Records that mention entities and are asserted to be true at other times than one instant, as far as the call may read
-- them.
-- in:  entity_ids bigint[] (readable already), known bigint[] (records to leave out), scope, keep (rows wanted),
--      valid_at timestamptz
-- out: kind, id, how many there are before the cut; episodes before memories, by number
-- uses: validity_open_record, the primary keys of records and entity_mentions
SELECT r.kind, r.id, count(*) OVER ()
FROM validity_assertions v
CROSS JOIN LATERAL (
  SELECT k.kind, k.id
  FROM records k
  WHERE k.agent_id = %(agent_id)s
    AND k.id = v.record_id
    AND k.retired_at IS NULL
    AND (%(project_id)s::text IS NULL OR k.project_id = %(project_id)s OR k.project_id = '')
    AND (%(channel)s = '' OR k.channel = %(channel)s OR k.channel = '')
    AND (%(source_id)s = '' OR k.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(k.source_id, %(source_id)s)))
  OFFSET 0
) r
WHERE v.agent_id = %(agent_id)s
  AND v.record_id IS NOT NULL
  AND v.superseded_at IS NULL
  AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
  AND v.record_id <> ALL (%(known)s::bigint[])
  AND EXISTS (
    SELECT
    FROM entity_mentions em
    WHERE em.agent_id = %(agent_id)s
      AND em.record_id = v.record_id
      AND em.entity_id = ANY (%(entity_ids)s::bigint[])
  )
ORDER BY r.kind COLLATE "C", r.id
LIMIT %(keep)s
