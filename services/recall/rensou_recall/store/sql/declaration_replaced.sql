-- The records that replacement edges lead to, subject to object, from each start, as far as the writer's place reads.
-- in:  agent_id, project_id, channel text; starts bigint[]; predicates text[] (normalised); bound int
-- out: start bigint, record_id bigint; a start reaches itself; at most bound rows a start
-- uses: relations_subject_record
-- Bound and cycle guard of the recursion: every step adds records that are not visited yet, and at most what is left.
SELECT s.id, reached.id
FROM unnest(%(starts)s::bigint[]) AS s (id)
CROSS JOIN LATERAL (
  WITH RECURSIVE walk (frontier, visited) AS (
    SELECT ARRAY[s.id], ARRAY[s.id]
    UNION ALL
    SELECT step.found, w.visited || step.found
    FROM walk w
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(n.id ORDER BY n.id), '{}') AS found
      FROM (
        SELECT DISTINCT r.object_record AS id
        FROM relations r
        WHERE r.agent_id = %(agent_id)s
          AND r.subject_record = ANY (w.frontier)
          AND r.object_record <> ALL (w.visited)
          AND r.normalized_predicate = ANY (%(predicates)s::text[])
          AND r.project_id IN (%(project_id)s, '')
          AND (%(channel)s = '' OR r.channel IN (%(channel)s, ''))
        ORDER BY 1
        LIMIT %(bound)s - cardinality(w.visited)
      ) n
    ) step
    WHERE cardinality(w.frontier) > 0 AND cardinality(w.visited) < %(bound)s
  )
  SELECT f.id
  FROM walk w
  CROSS JOIN LATERAL unnest(w.frontier) AS f (id)
) reached
ORDER BY s.id, reached.id
