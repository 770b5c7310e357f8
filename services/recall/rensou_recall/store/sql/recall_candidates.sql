-- The candidates of both arms, each scored by every arm.
-- in:  query halfvec or NULL, model_id int or NULL, words bigint[] (hashes), trigrams int[] (slots), scope, depth an arm
-- out: record_id, cosine -1..1 or NULL, vector_rank from 1 or NULL, bm25, lexical_rank from 1 or NULL, trigrams (bm25)
-- uses: record_vectors_covering, record_terms_hashes; the function reads the agent from the transaction's setting
SELECT c.record_id, c.cosine, c.vector_rank, c.bm25, c.lexical_rank, c.trigrams
FROM recall_candidates_v1(
  %(query)s, %(model_id)s, %(words)s::bigint[], %(trigrams)s::integer[], %(project_id)s, %(channel)s, %(source_id)s,
  %(source_is_prefix)s, %(depth)s
) c
ORDER BY c.record_id
