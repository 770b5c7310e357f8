-- Records whose build was given up, under the active model or the one that is built.
-- in:  agent_id, keep (rows wanted)
-- out: kind, id, and the number of all of them in every row
-- uses: node_builds_dead
SELECT x.kind, x.id, count(*) OVER ()
FROM (
  SELECT DISTINCT r.kind, r.id
  FROM node_builds b
  JOIN records r ON r.agent_id = b.agent_id AND r.id = b.record_id AND r.content_sha256 = b.content_sha256
  LEFT JOIN embedding_models m ON m.id = b.model_id
  WHERE b.agent_id = %(agent_id)s
    AND r.agent_id = %(agent_id)s
    AND b.state = 'dead'
    AND (m.state IS NULL OR m.state <> 'retired')
) x
ORDER BY x.id
LIMIT %(keep)s
