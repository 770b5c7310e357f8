-- What an answer says of entities: names with aliases, readable records that mention them, readable relations between them;
-- an anchor is named when the call may read it.
-- in:  scope; entity_ids bigint[]; max_aliases int; keep_mentions int (an entity); keep_relations int
-- out: names json: [entity, name, aliases (as written, by normal form, at most max_aliases), how many before the cut];
--      mentions json: [entity, kind, record], lowest first; relations json: [id, subject, predicate, object,
--      declared_by, declared_at in microseconds since 1970, anchor kind or null, anchor record or null,
--      how many before the cut], newest first, then number; each null where there are none
-- uses: the primary keys, entity_aliases_entity, relations_subject_entity; OFFSET 0 keeps records from being joined whole
SELECT (
  SELECT json_agg(json_build_array(e.id, e.name, x.aliases, x.found))
  FROM entities e
  CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(n.alias ORDER BY n.place) FILTER (WHERE n.place <= %(max_aliases)s), '{}') AS aliases,
           count(*) AS found
    FROM (
      SELECT a.alias, row_number() OVER (ORDER BY a.normalized) AS place
      FROM entity_aliases a
      WHERE a.agent_id = %(agent_id)s
        AND a.agent_id = e.agent_id
        AND a.entity_id = e.id
        AND NOT a.is_name
    ) n
  ) x
  WHERE e.agent_id = %(agent_id)s
    AND e.id = ANY (%(entity_ids)s::bigint[])
) AS names, (
  SELECT json_agg(json_build_array(f.id, n.kind, n.record_id) ORDER BY n.record_id)
  FROM unnest(%(entity_ids)s::bigint[]) AS f (id)
  CROSS JOIN LATERAL (
    SELECT x.kind, m.record_id
    FROM entity_mentions m
    CROSS JOIN LATERAL (
      SELECT r.kind
      FROM records r
      WHERE r.agent_id = %(agent_id)s
        AND r.agent_id = m.agent_id
        AND r.id = m.record_id
        AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
        AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
        AND (%(source_id)s = '' OR r.source_id = %(source_id)s
             OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
      OFFSET 0
    ) x
    WHERE m.agent_id = %(agent_id)s
      AND m.entity_id = f.id
    ORDER BY m.record_id
    LIMIT %(keep_mentions)s
  ) n
) AS mentions, (
  SELECT json_agg(json_build_array(n.id, n.subject_entity, n.predicate, n.object_entity, n.declared_by,
                                   (extract(epoch FROM n.declared_at) * 1000000)::bigint, x.kind, x.id, n.found)
                  ORDER BY n.declared_at DESC, n.id)
  FROM (
    SELECT r.*, count(*) OVER () AS found
    FROM relations r
    WHERE r.agent_id = %(agent_id)s
      AND r.subject_entity = ANY (%(entity_ids)s::bigint[])
      AND r.object_entity = ANY (%(entity_ids)s::bigint[])
      AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
      AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
    ORDER BY r.declared_at DESC, r.id
    LIMIT %(keep_relations)s
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
) AS relations
