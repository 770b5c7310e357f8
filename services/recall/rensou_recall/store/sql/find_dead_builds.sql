-- Records whose build was given up.
-- in:  agent_id, keep (rows wanted)
-- out: kind, id, and the number of all of them in every row
-- uses: node_builds_dead
SELECT r.kind, r.id, count(*) OVER ()
FROM node_builds b
JOIN records r ON r.agent_id = b.agent_id AND r.id = b.record_id AND r.content_sha256 = b.content_sha256
WHERE b.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND b.state = 'dead'
ORDER BY r.id
LIMIT %(keep)s
