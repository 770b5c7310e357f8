-- The texts of a record after a place in its history, oldest first.
-- in:  agent_id, record_id (readable already); texts boolean; after_at timestamptz, after_number; keep integer
-- out: current_from, revision, current_to or NULL, length in code points, content or '' without texts
-- uses: the primary keys
SELECT x.current_from, x.revision, x.current_to, char_length(x.content), CASE WHEN %(texts)s THEN x.content ELSE '' END
FROM (
  SELECT v.agent_id, v.revision, v.content, v.current_from, v.current_to
  FROM record_revisions v
  WHERE v.agent_id = %(agent_id)s
    AND v.record_id = %(record_id)s
  UNION ALL
  SELECT r.agent_id, r.revision, r.content, coalesce(r.revised_at, r.created_at), NULL
  FROM records r
  WHERE r.agent_id = %(agent_id)s
    AND r.id = %(record_id)s
) x
WHERE (x.current_from, x.revision) > (%(after_at)s::timestamptz, %(after_number)s::bigint)
ORDER BY x.current_from, x.revision
LIMIT %(keep)s
