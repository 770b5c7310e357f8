-- The active embedding model, which is the given one when the deployment had none.
-- in:  fingerprint, name, dimensions, token_window or NULL (tokens)
-- out: id, fingerprint, dimensions, token_window or NULL
SELECT m.id, m.fingerprint, m.dimensions, m.token_window
FROM register_embedding_model_v1(
  %(fingerprint)s::text, %(name)s::text, %(dimensions)s::integer, %(token_window)s::integer
) m
