-- A record's length in tokens, when its vector was stored without it.
-- in:  agent_id, record_id, model_id, token_count
-- uses: record_vectors_pkey
UPDATE record_vectors AS v
SET token_count = %(token_count)s
WHERE v.agent_id = %(agent_id)s
  AND v.record_id = %(record_id)s
  AND v.model_id = %(model_id)s
