-- The sample of the agent's records with their vectors: its first different texts in the order of their hashes, each
-- by the lowest of its records. Each step of the recursion seeks the next hash in the index.
-- in:  size: how many texts at most; model_id
-- out: content_sha256, embedding or NULL
-- uses: records_sample, the primary key of record_vectors
WITH RECURSIVE texts (agent_id, content_sha256, id, place) AS (
  (
    SELECT r.agent_id, r.content_sha256, r.id, 1
    FROM records r
    WHERE r.agent_id = %(agent_id)s
    ORDER BY r.content_sha256, r.id
    LIMIT 1
  )
  UNION ALL
  SELECT n.agent_id, n.content_sha256, n.id, t.place + 1
  FROM texts t
  CROSS JOIN LATERAL (
    SELECT r.agent_id, r.content_sha256, r.id
    FROM records r
    WHERE r.agent_id = %(agent_id)s
      AND r.content_sha256 > t.content_sha256
    ORDER BY r.content_sha256, r.id
    LIMIT 1
  ) n
  WHERE t.place < %(size)s
)
SELECT t.content_sha256, v.embedding
FROM texts t
LEFT JOIN (
  SELECT x.agent_id, x.record_id, x.embedding
  FROM record_vectors x
  WHERE x.agent_id = %(agent_id)s
    AND x.model_id = %(model_id)s
) v ON v.agent_id = t.agent_id AND v.record_id = t.id
ORDER BY t.content_sha256
