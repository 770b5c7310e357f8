-- Every embedding model, and how many records of all agents lack something under it: the definer function counts them
-- and shows no more.
-- in:  divider_version
-- out: id, fingerprint, name, dimensions, token_window or NULL, state, created_at, records, lacking
-- uses: records_pkey, record_vectors_pkey
SELECT m.id, m.fingerprint, m.name, m.dimensions, m.token_window, m.state, m.created_at, m.records, m.lacking
FROM embedding_models_v1(%(divider_version)s) m
ORDER BY m.id
