-- The candidates of both arms and what follows the best of them in their sessions, each scored by every arm.
-- in:  query halfvec or NULL, model_id int or NULL, words bigint[] (hashes), trigrams int[] (slots), scope, depth an arm,
--      context real[]: the weights of an asking predecessor, of another, of the one before it; empty reads no session,
--      ann_above: readable records above which the vector arm reads an approximate index, sample_size: texts at most
-- out: record_id, cosine -1..1 or NULL, vector_rank from 1 or NULL, bm25, lexical_rank from 1 or NULL, trigrams (bm25),
--      context (what bm25 gains from predecessors), project_id, channel, session_id, occurred_at or NULL, traits,
--      former (the record before it in its session, or NULL; NULL without context), source_name;
--      the last row holds none of these: the plan of the vector arm, the records that the project filter left, the id of
--      the active model or NULL, and of the sample of the agent's records how many different texts it has and SHA-256 of
--      their hashes in order
-- The sample is the first different texts in the order of their hashes: those of the first records, and for each copy
-- among these one more, sought in the index, so that a text that is stored often is stepped over at once.
-- uses: record_vectors_covering or record_vectors_ann_*, record_terms_hashes, record_terms_session, records_sample; the
--       function reads the agent from the transaction's setting
WITH RECURSIVE head AS MATERIALIZED (
  SELECT r.content_sha256
  FROM records r
  WHERE r.agent_id = %(agent_id)s
    AND r.retired_at IS NULL
  ORDER BY r.content_sha256, r.id
  LIMIT %(sample_size)s
),
texts AS MATERIALIZED (
  SELECT DISTINCT h.content_sha256
  FROM head h
),
further (content_sha256, place) AS (
  (
    SELECT t.content_sha256, count(*) OVER ()
    FROM texts t
    ORDER BY t.content_sha256 DESC
    LIMIT 1
  )
  UNION ALL
  SELECT n.content_sha256, f.place + 1
  FROM further f
  CROSS JOIN LATERAL (
    SELECT r.content_sha256
    FROM records r
    WHERE r.agent_id = %(agent_id)s
      AND r.content_sha256 > f.content_sha256
      AND r.retired_at IS NULL
    ORDER BY r.content_sha256, r.id
    LIMIT 1
  ) n
  WHERE f.place < %(sample_size)s
),
sample AS MATERIALIZED (
  SELECT count(*) AS texts, sha256(coalesce(string_agg(s.content_sha256, '' ORDER BY s.content_sha256), '')) AS digest
  FROM (
    SELECT t.content_sha256
    FROM texts t
    UNION
    SELECT f.content_sha256
    FROM further f
  ) s
)
SELECT c.record_id, c.cosine, c.vector_rank, c.bm25, c.lexical_rank, c.trigrams, c.context, c.project_id, c.channel,
       c.session_id, c.occurred_at, c.traits, c.former, c.source_name, c.vector_plan, c.readable_records,
       CASE WHEN c.record_id IS NULL THEN (SELECT m.id FROM embedding_models m WHERE m.state = 'active') END,
       CASE WHEN c.record_id IS NULL THEN (SELECT s.texts FROM sample s) END,
       CASE WHEN c.record_id IS NULL THEN (SELECT s.digest FROM sample s) END
FROM recall_candidates_v1(
  %(query)s, %(model_id)s, %(words)s::bigint[], %(trigrams)s::integer[], %(project_id)s, %(channel)s, %(source_id)s,
  %(source_is_prefix)s, %(depth)s, %(context)s::real[], %(ann_above)s::bigint
) c
ORDER BY c.record_id NULLS LAST
