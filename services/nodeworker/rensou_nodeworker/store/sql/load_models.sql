-- The embedding models that vectors are made under.
-- out: state (active or building), id, fingerprint, dimensions, token_window or NULL
-- uses: embedding_models_one_active, embedding_models_one_building
SELECT m.state, m.id, m.fingerprint, m.dimensions, m.token_window
FROM embedding_models m
WHERE m.state IN ('active', 'building')
