-- The active embedding model; the one offered becomes it when there is none yet.
-- in:  fingerprint, name, dimensions, token_window or NULL
-- out: id, fingerprint, name, dimensions, token_window of the active model
-- uses: embedding_models_one_active
SELECT m.id, m.fingerprint, m.name, m.dimensions, m.token_window
FROM register_embedding_model_v1(%(fingerprint)s, %(name)s, %(dimensions)s, %(token_window)s) m
