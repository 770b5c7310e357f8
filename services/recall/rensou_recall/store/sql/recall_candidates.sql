-- The candidates of both arms and what follows the best of them in their sessions, each scored by every arm.
-- in:  query halfvec or NULL, model_id int or NULL, words bigint[] (hashes), trigrams int[] (slots), scope, depth an arm,
--      context real[]: the weights of an asking predecessor, of another, of the one before it; empty reads no session,
--      ann_above: readable records above which the vector arm reads an approximate index
-- out: record_id, cosine -1..1 or NULL, vector_rank from 1 or NULL, bm25, lexical_rank from 1 or NULL, trigrams (bm25),
--      context (what bm25 gains from predecessors), project_id, channel, session_id, occurred_at or NULL, traits,
--      former (the record before it in its session, or NULL; NULL without context), source_name;
--      the last row holds none of these: the plan of the vector arm, the records that the project filter left, the id of
--      the active model or NULL
-- uses: record_vectors_covering or record_vectors_ann_*, record_terms_hashes, record_terms_session; the function reads
--       the agent from the transaction's setting
SELECT c.record_id, c.cosine, c.vector_rank, c.bm25, c.lexical_rank, c.trigrams, c.context, c.project_id, c.channel,
       c.session_id, c.occurred_at, c.traits, c.former, c.source_name, c.vector_plan, c.readable_records,
       (SELECT m.id FROM embedding_models m WHERE m.state = 'active')
FROM recall_candidates_v1(
  %(query)s, %(model_id)s, %(words)s::bigint[], %(trigrams)s::integer[], %(project_id)s, %(channel)s, %(source_id)s,
  %(source_is_prefix)s, %(depth)s, %(context)s::real[], %(ann_above)s::bigint
) c
ORDER BY c.record_id NULLS LAST
