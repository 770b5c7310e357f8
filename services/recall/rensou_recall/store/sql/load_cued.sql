-- The best of a period in both arms' eyes.
-- in:  query halfvec or NULL, model_id int or NULL, words bigint[] (hashes), start_at, end_at timestamptz (half-open),
--      scope, newest (records scored at most), depth (rows an arm)
-- out: held (records of the period in scope, at most newest + 1), record_id or NULL (held alone), cosine -1..1 or NULL,
--      vector_rank from 1 or NULL, bm25, lexical_rank from 1 or NULL
-- uses: records_time, validity_open_record and primary keys; the function reads the agent from the transaction's setting
SELECT c.held, c.record_id, c.cosine, c.vector_rank, c.bm25, c.lexical_rank
FROM arm_cue_v1(
  %(query)s, %(model_id)s, %(words)s::bigint[], %(start_at)s, %(end_at)s, %(project_id)s, %(channel)s, %(source_id)s,
  %(source_is_prefix)s, %(newest)s, %(depth)s
) c
ORDER BY c.record_id
