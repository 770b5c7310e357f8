-- Records that mention entities and are asserted to be true at other times than one instant, as far as the call may read
-- them.
-- in:  entity_ids bigint[] (readable already), known bigint[] (records to leave out), scope, keep (rows wanted),
--      valid_at timestamptz
-- out: kind, id, how many there are before the cut; episodes before memories, by number
-- uses: validity_open_record, the primary keys of records and entity_mentions
SELECT r.kind, r.id, count(*) OVER ()
FROM validity_assertions v
JOIN records r ON r.agent_id = v.agent_id AND r.id = v.record_id
WHERE v.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND v.superseded_at IS NULL
  AND (v.valid_from > %(valid_at)s OR v.valid_to <= %(valid_at)s)
  AND v.record_id <> ALL (%(known)s::bigint[])
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
  AND EXISTS (
    SELECT
    FROM entity_mentions em
    WHERE em.agent_id = %(agent_id)s
      AND em.record_id = v.record_id
      AND em.entity_id = ANY (%(entity_ids)s::bigint[])
  )
ORDER BY r.kind COLLATE "C", r.id
LIMIT %(keep)s
