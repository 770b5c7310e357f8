-- Makes a model the active one: state alone changes.
-- in:  fingerprint, divider_version, allow_incomplete (although records lack vectors or nodes under it)
-- out: fingerprint of the model that was active before, records of all agents that lack something, whether it was
--      activated; no row when there is no such model
-- uses: records_pkey, record_vectors_pkey
SELECT a.former_fingerprint, a.lacking, a.activated
FROM activate_embedding_model_v1(%(fingerprint)s, %(divider_version)s, %(allow_incomplete)s) a
