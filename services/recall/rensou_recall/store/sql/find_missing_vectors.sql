-- Records without an embedding under the active model.
-- in:  agent_id, show and keep (refs wanted)
-- out: one row: count, 0, episodes and waiting (of count; waiting: a build waits or runs), askable (a build may be asked
--      for), kinds and ids of the lowest `show` of count, ids of the lowest `keep` of askable
-- uses: the primary keys, node_builds_once; OFFSET 0 keeps each lookup one, also of an agent that statistics do not know
WITH found AS MATERIALIZED (
  SELECT r.kind, r.id,
         EXISTS (
           SELECT
           FROM node_builds b
           WHERE b.agent_id = %(agent_id)s
             AND b.record_id = r.id
             AND b.content_sha256 = r.content_sha256
             AND (b.model_id = m.id OR b.model_id IS NULL)
             AND b.state IN ('pending', 'running')
         ) AS waits
  FROM records r
  LEFT JOIN embedding_models m ON m.state = 'active'
  WHERE r.agent_id = %(agent_id)s
    AND r.retired_at IS NULL
    AND NOT EXISTS (
      SELECT
      FROM record_vectors v
      WHERE v.agent_id = %(agent_id)s
        AND v.record_id = r.id
        AND v.model_id = m.id
      OFFSET 0
    )
)
SELECT count(*),
       0,
       count(*) FILTER (WHERE f.kind = 'ep'),
       count(*) FILTER (WHERE f.waits),
       count(*) FILTER (WHERE NOT f.waits),
       ARRAY(SELECT s.kind FROM found s ORDER BY s.id LIMIT %(show)s),
       ARRAY(SELECT s.id FROM found s ORDER BY s.id LIMIT %(show)s),
       ARRAY(SELECT a.id FROM found a WHERE NOT a.waits ORDER BY a.id LIMIT %(keep)s)
FROM found f
