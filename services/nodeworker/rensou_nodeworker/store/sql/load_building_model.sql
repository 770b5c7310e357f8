-- The model that is built, when its server was met lately.
-- in:  served_within_s (seconds)
-- out: id, fingerprint, dimensions, token_window or NULL
-- uses: embedding_models_one_building
SELECT m.id, m.fingerprint, m.dimensions, m.token_window
FROM embedding_models m
WHERE m.state = 'building'
  AND m.served_at > now() - make_interval(secs => %(served_within_s)s)
