-- Records whose build was given up, under the active model or the one that is built.
-- in:  agent_id, show and keep (refs wanted)
-- out: one row: count, 0, episodes (of count), 0, askable (all of them), kinds and ids of the lowest `show`, ids of the
--      lowest `keep`
-- uses: node_builds_dead, the primary keys; OFFSET 0 keeps each lookup one, also of an agent that statistics do not know
WITH found AS MATERIALIZED (
  SELECT DISTINCT r.kind, r.id
  FROM node_builds b
  CROSS JOIN LATERAL (
    SELECT x.kind, x.id
    FROM records x
    WHERE x.agent_id = %(agent_id)s
      AND x.id = b.record_id
      AND x.content_sha256 = b.content_sha256
      AND x.retired_at IS NULL
    OFFSET 0
  ) r
  LEFT JOIN embedding_models m ON m.id = b.model_id
  WHERE b.agent_id = %(agent_id)s
    AND b.state = 'dead'
    AND (m.state IS NULL OR m.state <> 'retired')
)
SELECT count(*),
       0,
       count(*) FILTER (WHERE f.kind = 'ep'),
       0,
       count(*),
       ARRAY(SELECT s.kind FROM found s ORDER BY s.id LIMIT %(show)s),
       ARRAY(SELECT s.id FROM found s ORDER BY s.id LIMIT %(show)s),
       ARRAY(SELECT a.id FROM found a ORDER BY a.id LIMIT %(keep)s)
FROM found f
