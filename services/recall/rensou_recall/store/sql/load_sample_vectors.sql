-- The sample of the agent's records with their vectors: the first of them in the order of their texts' hashes.
-- in:  size: how many records at most; model_id
-- out: content_sha256, embedding or NULL
-- uses: records_sample, the primary key of record_vectors
SELECT s.content_sha256, v.embedding
FROM (
  SELECT r.agent_id, r.id, r.content_sha256
  FROM records r
  WHERE r.agent_id = %(agent_id)s
  ORDER BY r.content_sha256, r.id
  LIMIT %(size)s
) s
LEFT JOIN (
  SELECT x.agent_id, x.record_id, x.embedding
  FROM record_vectors x
  WHERE x.agent_id = %(agent_id)s
    AND x.model_id = %(model_id)s
) v ON v.agent_id = s.agent_id AND v.record_id = s.id
ORDER BY s.content_sha256, s.id
