-- What records say of themselves, and what is declared to support them with where that comes from.
-- in:  record_ids bigint[] (readable already), roles text[] (normal form), supports text, per_record, episodes int
--      (of a record, before a memory, at most), with_origins boolean (where all come from),
--      valid_at timestamptz or NULL, scope
-- out: record; member (itself or a supporter), kind, certainty, project, source type and id; place from 1 (NULL of
--      itself); caller ids text[], episodes that cover it bigint[]; has it a role (NULL of a supporter)
-- uses: relations_subject_record, relations_object_record, records_episodes, caller ids'
WITH readable AS NOT MATERIALIZED (
  SELECT r.id
  FROM records r
  WHERE r.agent_id = %(agent_id)s
    AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
    AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
    AND (%(source_id)s = '' OR r.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
),
role_edges AS NOT MATERIALIZED (
  SELECT rel.id, rel.subject_record, rel.object_record, rel.normalized_predicate
  FROM relations rel
  WHERE rel.agent_id = %(agent_id)s
    AND (%(project_id)s::text IS NULL OR rel.project_id = %(project_id)s OR rel.project_id = '')
    AND (%(channel)s = '' OR rel.channel = %(channel)s OR rel.channel = '')
    AND rel.normalized_predicate = ANY (%(roles)s::text[])
    AND (%(valid_at)s::timestamptz IS NULL OR NOT EXISTS (
      SELECT
      FROM validity_assertions v
      WHERE v.agent_id = %(agent_id)s
        AND v.relation_id = rel.id
        AND v.superseded_at IS NULL
        AND (v.valid_to <= %(valid_at)s OR v.valid_from > %(valid_at)s)
    ))
),
supporting AS MATERIALIZED (
  SELECT f.id AS claim, n.member, min(n.place) AS place
  FROM unnest(%(record_ids)s::bigint[]) AS f (id)
  CROSS JOIN LATERAL (
    SELECT e.subject_record AS member, row_number() OVER (ORDER BY e.id DESC) AS place
    FROM role_edges e
    WHERE e.object_record = f.id
      AND e.normalized_predicate = %(supports)s
      AND EXISTS (SELECT FROM readable o WHERE o.id = e.subject_record)
    ORDER BY e.id DESC
    LIMIT %(per_record)s
  ) n
  GROUP BY f.id, n.member
),
members AS MATERIALIZED (
  SELECT f.id AS claim, f.id AS member, NULL::bigint AS place,
         %(with_origins)s OR EXISTS (SELECT FROM supporting s WHERE s.claim = f.id) AS located,
         EXISTS (
           SELECT FROM role_edges e JOIN readable o ON o.id = e.subject_record WHERE e.object_record = f.id
         ) OR EXISTS (
           SELECT FROM role_edges e JOIN readable o ON o.id = e.object_record WHERE e.subject_record = f.id
         ) AS has_role
  FROM unnest(%(record_ids)s::bigint[]) AS f (id)
  UNION ALL
  SELECT s.claim, s.member, s.place, true, NULL::boolean
  FROM supporting s
)
SELECT m.claim, m.member, x.kind, x.certainty, x.project_id, x.source_type, x.source_id, m.place,
       (SELECT array_agg(i.caller_id)
        FROM (
          SELECT c.caller_id FROM record_caller_ids c
          WHERE c.agent_id = %(agent_id)s
            AND c.record_id = m.member
          UNION ALL
          SELECT g.caller_id FROM retired_caller_ids g
          WHERE g.agent_id = %(agent_id)s
            AND g.record_id = m.member
        ) i
        WHERE m.located),
       (SELECT array_agg(w.id)
        FROM (
          SELECT y.id, y.ended_at
          FROM records y
          WHERE y.agent_id = %(agent_id)s
            AND y.kind = 'ep'
            AND y.project_id = x.project_id
            AND y.channel = x.channel
            AND y.occurred_at <= x.occurred_at
            AND EXISTS (SELECT FROM readable o WHERE o.id = y.id)
            AND m.located
            AND x.kind = 'mem'
          ORDER BY y.occurred_at DESC, y.id DESC
          LIMIT %(episodes)s
        ) w
        WHERE w.ended_at >= x.occurred_at),
       m.has_role
FROM members m
JOIN records x
  ON x.agent_id = %(agent_id)s
  AND x.id = m.member
ORDER BY m.claim, m.place NULLS FIRST, m.member
