-- The vectors of records under one model, as far as the call may read them.
-- in:  record_ids bigint[], model_id integer, scope
-- out: record_id, embedding halfvec; records without a vector of the model are left out
-- uses: the primary key of record_vectors
SELECT v.record_id, v.embedding
FROM record_vectors v
WHERE v.agent_id = %(agent_id)s
  AND v.record_id = ANY (%(record_ids)s::bigint[])
  AND v.model_id = %(model_id)s
  AND (%(project_id)s::text IS NULL OR v.project_id = %(project_id)s OR v.project_id = '')
  AND (%(channel)s = '' OR v.channel = %(channel)s OR v.channel = '')
  AND (%(source_id)s = '' OR v.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(v.source_id, %(source_id)s)))
ORDER BY v.record_id
