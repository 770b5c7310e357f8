-- A walk over relations as a recursive query is usually written: every entity within max_hops, once for each number of
-- hops that leads to it, then the nearest. It stops for no bound and looks at no scope.
-- in:  agent_id text, start bigint, max_hops integer, keep integer
-- out: entity bigint, hops integer
WITH RECURSIVE walk (entity, hops) AS (
  SELECT %(start)s::bigint, 0
  UNION
  SELECT n.entity, w.hops + 1
  FROM walk w
  CROSS JOIN LATERAL (
    SELECT r.object_entity AS entity
    FROM relations r
    WHERE r.agent_id = %(agent_id)s AND r.subject_entity = w.entity AND r.object_entity IS NOT NULL
    UNION ALL
    SELECT r.subject_entity
    FROM relations r
    WHERE r.agent_id = %(agent_id)s AND r.object_entity = w.entity AND r.subject_entity IS NOT NULL
  ) n
  WHERE w.hops < %(max_hops)s
)
SELECT w.entity, min(w.hops)
FROM walk w
GROUP BY w.entity
ORDER BY min(w.hops), w.entity
LIMIT %(keep)s
