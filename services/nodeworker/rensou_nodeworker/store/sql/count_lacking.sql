-- How many records of all agents lack something under a model: the definer function counts them and shows no more.
-- in:  divider_version, model_id
-- out: count
-- uses: records_pkey, record_vectors_pkey
SELECT m.lacking
FROM embedding_models_v1(%(divider_version)s::integer, %(model_id)s::integer) m
