-- Records that declared relations join to records, in either direction: the relation and the far record are readable.
-- in:  record_ids bigint[] (readable already), scope, per_record integer
-- out: record_id, far record ids ascending, at most per_record; records without any are left out
-- uses: relations_subject_record, relations_object_record, the primary key of records
SELECT x.record_id, array_agg(n.far ORDER BY n.far)
FROM unnest(%(record_ids)s::bigint[]) AS x (record_id)
CROSS JOIN LATERAL (
  SELECT y.far
  FROM (
    SELECT rel.agent_id, rel.object_record AS far
    FROM relations rel
    WHERE rel.agent_id = %(agent_id)s
      AND rel.subject_record = x.record_id
      AND rel.object_record IS NOT NULL
      AND (%(project_id)s::text IS NULL OR rel.project_id = %(project_id)s OR rel.project_id = '')
      AND (%(channel)s = '' OR rel.channel = %(channel)s OR rel.channel = '')
    UNION
    SELECT rel.agent_id, rel.subject_record
    FROM relations rel
    WHERE rel.agent_id = %(agent_id)s
      AND rel.object_record = x.record_id
      AND rel.subject_record IS NOT NULL
      AND (%(project_id)s::text IS NULL OR rel.project_id = %(project_id)s OR rel.project_id = '')
      AND (%(channel)s = '' OR rel.channel = %(channel)s OR rel.channel = '')
  ) y
  JOIN records r ON r.agent_id = y.agent_id AND r.id = y.far
  WHERE r.agent_id = %(agent_id)s
    AND r.retired_at IS NULL
    AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
    AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
    AND (%(source_id)s = '' OR r.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
  ORDER BY y.far
  LIMIT %(per_record)s
) n
GROUP BY x.record_id
ORDER BY x.record_id
