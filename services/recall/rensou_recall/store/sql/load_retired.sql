-- The far list: retired records in scope, each scored by every arm.
-- in:  query halfvec or NULL, model_id int or NULL, words bigint[] (hashes), trigrams int[] (slots), scope, depth an arm,
--      most (records looked at, the newest)
-- out: held (retired records in scope, on every row), record_id or NULL on the one row of an empty list, cosine -1..1 or
--      NULL, vector_rank from 1 or NULL, bm25, lexical_rank from 1 or NULL, trigrams (bm25), share (0-1) of the words'
--      weight that stands in it
-- uses: records_retired, primary keys; the function reads the agent from the transaction's setting
SELECT c.held, c.record_id, c.cosine, c.vector_rank, c.bm25, c.lexical_rank, c.trigrams, c.share
FROM arm_retired_v1(
  %(query)s, %(model_id)s, %(words)s::bigint[], %(trigrams)s::integer[], %(project_id)s, %(channel)s, %(source_id)s,
  %(source_is_prefix)s, %(depth)s, %(most)s
) c
ORDER BY c.record_id
