-- What an answer says of entities: relations between them, newest first; then names and mentions.
-- in:  scope; entity_ids bigint[]; relations, mentions, aliases int (at most; of an entity the latter two);
--      valid_at timestamptz (relations true at other times are left out) or null
-- out: id bigint, predicate or name text, found bigint (relations, or mentions of the entity, before the cut),
--      subject_entity, object_entity bigint, declared_by text, declared_at timestamptz (null for an entity),
--      anchor_kind text, anchor_record bigint (null unless readable);
--      for an entity: kinds text[], record_ids bigint[] (lowest first), aliases text[] (by normal form),
--      aliases_found bigint; of a relation what is asserted, and now
-- uses: relations_subject_entity, validity_open_relation, entity_aliases_entity, primary keys; OFFSET 0 keeps
--       records from being joined as a whole
SELECT n.id, n.predicate, n.found, n.subject_entity, n.object_entity, n.declared_by, n.declared_at, x.kind, x.id AS anchor,
       NULL, NULL, NULL, NULL, n.recorded_at, n.valid_from, n.valid_to, now()
FROM (
  SELECT r.agent_id, r.id, r.subject_entity, r.predicate, r.object_entity, r.declared_by, r.declared_at,
         r.anchor_record, count(*) OVER () AS found, v.recorded_at, v.valid_from, v.valid_to
  FROM relations r
  LEFT JOIN LATERAL (
    SELECT b.*
    FROM validity_assertions b
    WHERE b.agent_id = %(agent_id)s
      AND b.relation_id = r.id AND b.superseded_at IS NULL
    OFFSET 0
  ) v ON true
  WHERE r.agent_id = %(agent_id)s
    AND r.subject_entity = ANY (%(entity_ids)s::bigint[])
    AND r.object_entity = ANY (%(entity_ids)s::bigint[])
    AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
    AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
    AND coalesce(v.valid_from <= %(valid_at)s::timestamptz, true)
    AND coalesce(v.valid_to > %(valid_at)s, true)
  ORDER BY r.declared_at DESC, r.id
  LIMIT %(relations)s
) n
LEFT JOIN LATERAL (
  SELECT a.kind, a.id
  FROM records a
  WHERE a.agent_id = %(agent_id)s
    AND a.agent_id = n.agent_id
    AND a.id = n.anchor_record
    AND (%(project_id)s::text IS NULL OR a.project_id = %(project_id)s OR a.project_id = '')
    AND (%(channel)s = '' OR a.channel = %(channel)s OR a.channel = '')
    AND (%(source_id)s = '' OR a.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(a.source_id, %(source_id)s)))
  OFFSET 0
) x ON true
UNION ALL
SELECT e.id, e.name, m.found, NULL, NULL, NULL, NULL, NULL, NULL, m.kinds, m.ids, y.names, y.found, NULL, NULL, NULL, NULL
FROM entities e
CROSS JOIN LATERAL (
  SELECT count(*) AS found, array_agg(k.id ORDER BY k.id) FILTER (WHERE k.place <= %(mentions)s) AS ids,
         array_agg(k.kind ORDER BY k.id) FILTER (WHERE k.place <= %(mentions)s) AS kinds
  FROM (
    SELECT z.kind, z.id, row_number() OVER (ORDER BY o.record_id) AS place
    FROM entity_mentions o
    CROSS JOIN LATERAL (
      SELECT r.kind, r.id
      FROM records r
      WHERE r.agent_id = %(agent_id)s
        AND r.agent_id = o.agent_id
        AND r.id = o.record_id AND r.retired_at IS NULL
        AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
        AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
        AND (%(source_id)s = '' OR r.source_id = %(source_id)s
             OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
      OFFSET 0
    ) z
    WHERE o.agent_id = %(agent_id)s
      AND o.entity_id = e.id
  ) k
) m
CROSS JOIN LATERAL (
  SELECT count(*) AS found, array_agg(n.alias ORDER BY n.place) FILTER (WHERE n.place <= %(aliases)s) AS names
  FROM (
    SELECT a.alias, row_number() OVER (ORDER BY a.normalized) AS place
    FROM entity_aliases a
    WHERE a.agent_id = %(agent_id)s
      AND a.agent_id = e.agent_id
      AND a.entity_id = e.id
      AND NOT a.is_name
  ) n
) y
WHERE e.agent_id = %(agent_id)s
  AND e.id = ANY (%(entity_ids)s::bigint[])
ORDER BY declared_at DESC NULLS LAST, id
