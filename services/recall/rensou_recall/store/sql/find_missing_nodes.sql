-- Records, locked ones too, that are past the window of the active model and have no current set of nodes under it; and
-- how many there are of which nobody knows, because their tokens were never counted. Those without a vector are the
-- finding of find_missing_vectors.
-- in:  agent_id, show and keep (refs wanted), divider_version
-- out: one row: count, unknown, episodes and waiting (of count; waiting: a build waits or runs), askable (a build may be
--      asked for), kinds and ids of the lowest `show` of count, ids of the first `keep` of askable: of count, then of unknown
-- uses: the primary keys, node_builds_once; OFFSET 0 keeps each lookup one, also of an agent that statistics do not know
WITH held AS MATERIALIZED (
  SELECT r.kind, r.id, r.content_sha256, m.id AS model_id, m.token_window, v.token_count > m.token_window AS is_long,
         v.token_count > m.token_window AND NOT EXISTS (
           SELECT
           FROM current_nodes_v1(r.agent_id, r.id, r.content_chars, m.id, m.token_window, %(divider_version)s)
         ) AS lacks
  FROM embedding_models m
  CROSS JOIN records r
  CROSS JOIN LATERAL (
    SELECT x.token_count
    FROM record_vectors x
    WHERE x.agent_id = %(agent_id)s
      AND x.record_id = r.id
      AND x.model_id = m.id
    OFFSET 0
  ) v
  WHERE r.agent_id = %(agent_id)s
    AND r.retired_at IS NULL
    AND m.state = 'active'
),
found AS MATERIALIZED (
  SELECT h.kind, h.id, h.is_long, h.token_window,
         EXISTS (
           SELECT
           FROM node_builds b
           WHERE b.agent_id = %(agent_id)s
             AND b.record_id = h.id
             AND b.content_sha256 = h.content_sha256
             AND (b.model_id = h.model_id OR b.model_id IS NULL)
             AND b.state IN ('pending', 'running')
         ) AS waits
  FROM held h
  WHERE h.is_long IS NULL OR h.lacks
),
-- Where the model has no window its server counts nothing, and asking again is no use.
askable AS MATERIALIZED (
  SELECT f.id, f.is_long IS NULL AS is_unknown
  FROM found f
  WHERE NOT f.waits
    AND (f.is_long OR f.token_window IS NOT NULL)
)
SELECT count(*) FILTER (WHERE f.is_long),
       count(*) FILTER (WHERE f.is_long IS NULL),
       count(*) FILTER (WHERE f.is_long AND f.kind = 'ep'),
       count(*) FILTER (WHERE f.is_long AND f.waits),
       (SELECT count(*) FROM askable a),
       ARRAY(SELECT s.kind FROM found s WHERE s.is_long ORDER BY s.id LIMIT %(show)s),
       ARRAY(SELECT s.id FROM found s WHERE s.is_long ORDER BY s.id LIMIT %(show)s),
       ARRAY(SELECT a.id FROM askable a ORDER BY a.is_unknown, a.id LIMIT %(keep)s)
FROM found f
