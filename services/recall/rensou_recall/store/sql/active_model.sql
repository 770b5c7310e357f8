-- The active embedding model.
-- out: id, fingerprint, name, dimensions, token_window or NULL
-- uses: embedding_models_one_active
SELECT m.id, m.fingerprint, m.name, m.dimensions, m.token_window
FROM embedding_models m
WHERE m.state = 'active'
