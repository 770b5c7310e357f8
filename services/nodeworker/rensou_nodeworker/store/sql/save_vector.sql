-- A record's vector under a model, with the record's own scope.
-- in:  agent_id, record_id, model_id, token_count or NULL, embedding (unit halfvec)
-- uses: records_pkey, record_vectors_pkey
INSERT INTO record_vectors AS v (
  agent_id, record_id, model_id, project_id, channel, source_id, token_count, embedding
)
SELECT r.agent_id, r.id, %(model_id)s, r.project_id, r.channel, r.source_id, %(token_count)s::integer,
       %(embedding)s::halfvec
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
ON CONFLICT (agent_id, record_id, model_id) DO UPDATE
SET token_count = excluded.token_count,
    embedding = excluded.embedding
