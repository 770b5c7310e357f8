-- The embedding of a record whose text is new.
-- in:  agent_id, record_id, model_id, project_id, channel, source_id, token_count or NULL, embedding halfvec
-- out: id of the active model or NULL
INSERT INTO record_vectors AS v (
  agent_id, record_id, model_id, project_id, channel, source_id, token_count, embedding
)
VALUES (
  %(agent_id)s, %(record_id)s, %(model_id)s, %(project_id)s, %(channel)s, %(source_id)s, %(token_count)s,
  %(embedding)s::halfvec
)
RETURNING (SELECT m.id FROM embedding_models m WHERE m.state = 'active')
