-- migrate:up

-- The retrieval arms. They are functions of the tables' owner because row-level security would take their index
-- conditions away (&& is not leakproof); the agent comes from the transaction's setting and from nowhere else, and only
-- ids and scores leave. Versioned: a change is a new function, so that old and new services run side by side.

-- Nearest vectors of the agent, exactly. in: unit vector, model, scope, rows wanted. out: record, cosine similarity.
-- The settings hold the plan to the covering index, where an agent's vectors lie side by side: the planner prices it by
-- its pages, whose number is that of the heap, and the heap's rows are every agent's.
CREATE FUNCTION rensou.arm_exact_v1(
  p_query halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean,
  p_depth integer
) RETURNS TABLE (record_id bigint, cosine double precision)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET random_page_cost = 0.5 AS $$
  SELECT x.record_id, -x.distance
  FROM (
    (SELECT v.record_id, (v.embedding <#> p_query) + 0 AS distance
     FROM record_vectors v
     WHERE v.agent_id = current_setting('rensou.agent_id', true)
       AND v.model_id = p_model_id
       AND v.covered
       AND (p_project IS NULL OR v.project_id = p_project OR v.project_id = '')
       AND (p_channel = '' OR v.channel = p_channel OR v.channel = '')
       AND (p_source = '' OR v.source_id = p_source OR (p_source_prefix AND starts_with(v.source_id, p_source)))
       AND p_query IS NOT NULL
     ORDER BY distance, v.record_id
     LIMIT p_depth)
    UNION ALL
    (SELECT v.record_id, (v.embedding <#> p_query) + 0 AS distance
     FROM record_vectors v
     WHERE v.agent_id = current_setting('rensou.agent_id', true)
       AND v.model_id = p_model_id
       AND NOT v.covered
       AND (p_project IS NULL OR v.project_id = p_project OR v.project_id = '')
       AND (p_channel = '' OR v.channel = p_channel OR v.channel = '')
       AND (p_source = '' OR v.source_id = p_source OR (p_source_prefix AND starts_with(v.source_id, p_source)))
       AND p_query IS NOT NULL
     ORDER BY distance, v.record_id
     LIMIT p_depth)
  ) x
  ORDER BY x.distance, x.record_id
  LIMIT p_depth
$$;

-- Best BM25 among the agent's records that hold one of the hashes. in: query weights, hashes, scope, rows wanted.
-- out: record, BM25. "agent_id || ''" keeps the planner from reading the agent's whole btree beside the GIN index.
CREATE FUNCTION rensou.arm_lexical_v1(
  p_weights sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean,
  p_depth integer
) RETURNS TABLE (record_id bigint, bm25 double precision)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
  SELECT x.record_id, -x.negative_score
  FROM (
    SELECT t.record_id, (t.words <#> p_weights) + 0 AS negative_score
    FROM record_terms t
    WHERE t.agent_id || '' = current_setting('rensou.agent_id', true)
      AND t.hashes && p_hashes
      AND (p_project IS NULL OR t.project_id = p_project OR t.project_id = '')
      AND (p_channel = '' OR t.channel = p_channel OR t.channel = '')
      AND (p_source = '' OR t.source_id = p_source OR (p_source_prefix AND starts_with(t.source_id, p_source)))
    ORDER BY negative_score, t.record_id
    LIMIT p_depth
  ) x
  WHERE x.negative_score < 0
$$;

-- Inverse document frequency of each slot: folded counts and the newest 1,000 pending deltas together. A slot that none
-- of them counts weighs as the rarest: it may stand in a record whose delta is older.
-- in: slots. out: slot, how many of the agent's records hold it, its weight in a query (BM25's idf, never negative).
CREATE FUNCTION rensou.slot_weights_v1(p_slots integer[])
RETURNS TABLE (slot integer, records bigint, idf real)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
  WITH pending AS MATERIALIZED (
    SELECT d.delta, d.slots
    FROM term_deltas d
    WHERE d.agent_id = current_setting('rensou.agent_id', true)
    ORDER BY d.id DESC
    LIMIT 1000
  ),
  total AS MATERIALIZED (
    SELECT greatest(
      coalesce((SELECT c.records FROM scope_counts c WHERE c.agent_id = current_setting('rensou.agent_id', true)), 0)
        + coalesce((SELECT sum(p.delta) FROM pending p), 0),
      1) AS n
  ),
  late AS MATERIALIZED (
    SELECT s.slot, sum(p.delta) AS n
    FROM pending p
    CROSS JOIN LATERAL unnest(p.slots) AS s (slot)
    WHERE p.slots && p_slots AND s.slot = ANY (p_slots)
    GROUP BY s.slot
  ),
  counted AS (
    SELECT u.slot, least(greatest(coalesce(f.records, 0) + coalesce(l.n, 0), 0), t.n)::bigint AS records, t.n
    FROM (SELECT DISTINCT x.slot FROM unnest(p_slots) AS x (slot)) u
    CROSS JOIN total t
    LEFT JOIN late l ON l.slot = u.slot
    LEFT JOIN term_frequencies f
      ON f.agent_id = current_setting('rensou.agent_id', true) AND f.slot = u.slot
  )
  SELECT c.slot, c.records, ln(1 + (c.n - c.records + .5) / (c.records + .5))::real
  FROM counted c
$$;

-- Candidates of both arms and, with p_context, the two records that follow each of the 50 best of the lexical arm in
-- their session; each scored exactly by every arm. in: unit vector or NULL, active model, hashes of the words (64 bit),
-- slots of the trigrams, scope, depth an arm, weights of what a record's two predecessors in its session said: the
-- nearest when it asks, the nearest when not, the one before; empty reads no session. out: ids, scores and ranks, in no
-- promised order; the words' rarest terms first until their records number 2,000 (the first that any record holds is
-- always read), so that a common word beside a rare one never reads the whole agent.
-- context is what the words' BM25 gains when each of the 32 heaviest terms counts where it weighs most: in the record
-- itself or, weighted, in a predecessor that the scope reads. Computed here and stored nowhere.
CREATE FUNCTION rensou.recall_candidates_v1(
  p_query halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text,
  p_source text, p_source_prefix boolean, p_depth integer, p_context real[]
) RETURNS TABLE (
  record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer,
  trigrams double precision, context double precision, project_id text, channel text, session_id text,
  occurred_at timestamptz, traits smallint
)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
  WITH weights AS MATERIALIZED (
    SELECT w.slot, w.records, w.idf
    FROM slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h)) || p_trigrams) w
  ),
  words AS MATERIALIZED (
    SELECT u.h, w.slot, w.idf, w.records,
           sum(w.records) OVER (ORDER BY w.records, u.h) AS cumulative
    FROM unnest(p_words) AS u (h)
    JOIN weights w ON w.slot = term_slot(u.h)
  ),
  query AS MATERIALIZED (
    SELECT
      coalesce((SELECT ('{' || string_agg(x.slot || ':' || x.idf, ',') || '}/999999937')::sparsevec
                FROM (SELECT DISTINCT w.slot, w.idf FROM words w) x), '{}/999999937') AS words,
      coalesce((SELECT ('{' || string_agg(w.slot || ':' || w.idf, ',') || '}/999999937')::sparsevec
                FROM weights w WHERE w.slot = ANY (p_trigrams)), '{}/999999937') AS trigrams,
      coalesce((SELECT array_agg(w.h) FROM words w WHERE w.cumulative <= 2000 OR w.cumulative = w.records), '{}') AS hashes
  ),
  ones AS MATERIALIZED (
    SELECT x.slot, ('{' || x.slot || ':' || x.idf || '}/999999937')::sparsevec AS one
    FROM (SELECT DISTINCT w.slot, w.idf FROM words w ORDER BY w.idf DESC, w.slot LIMIT 32) x
  ),
  near AS MATERIALIZED (
    SELECT a.record_id, a.cosine, row_number() OVER (ORDER BY a.cosine DESC, a.record_id) AS rank
    FROM arm_exact_v1(p_query, p_model_id, p_project, p_channel, p_source, p_source_prefix, p_depth) a
  ),
  said AS MATERIALIZED (
    SELECT a.record_id, a.bm25, row_number() OVER (ORDER BY a.bm25 DESC, a.record_id) AS rank
    FROM query q
    CROSS JOIN LATERAL arm_lexical_v1(q.words, q.hashes, p_project, p_channel, p_source, p_source_prefix, p_depth) a
  ),
  followers AS MATERIALIZED (
    SELECT DISTINCT f.record_id
    FROM said s
    CROSS JOIN LATERAL (
      SELECT t.session_id, t.project_id, t.channel, t.occurred_at, t.record_id
      FROM record_terms t
      WHERE t.agent_id = current_setting('rensou.agent_id', true) AND t.record_id = s.record_id
      OFFSET 0
    ) h
    CROSS JOIN LATERAL (
      SELECT t.record_id, t.source_id
      FROM record_terms t
      WHERE t.agent_id = current_setting('rensou.agent_id', true)
        AND t.session_id = h.session_id
        AND t.session_id <> ''
        AND t.project_id = h.project_id
        AND t.channel = h.channel
        AND (t.occurred_at, t.record_id) > (h.occurred_at, h.record_id)
      ORDER BY t.occurred_at, t.record_id
      LIMIT 2
    ) f
    WHERE s.rank <= 50
      AND cardinality(p_context) = 3
      AND (p_source = '' OR f.source_id = p_source OR (p_source_prefix AND starts_with(f.source_id, p_source)))
  ),
  candidates AS MATERIALIZED (
    SELECT coalesce(n.record_id, s.record_id, f.record_id) AS record_id, n.cosine, n.rank AS vector_rank, s.bm25,
           s.rank AS lexical_rank
    FROM near n
    FULL JOIN said s ON s.record_id = n.record_id
    FULL JOIN followers f ON f.record_id = coalesce(n.record_id, s.record_id)
  )
  SELECT c.record_id,
         coalesce(c.cosine, -(
           SELECT v.embedding <#> p_query
           FROM record_vectors v
           WHERE v.agent_id = current_setting('rensou.agent_id', true)
             AND v.record_id = c.record_id
             AND v.model_id = p_model_id
         )),
         c.vector_rank::integer,
         coalesce(c.bm25, -(t.words <#> q.words), 0),
         c.lexical_rank::integer,
         coalesce(-(t.trigrams <#> q.trigrams), 0),
         coalesce(x.gain, 0),
         coalesce(t.project_id, ''),
         coalesce(t.channel, ''),
         coalesce(t.session_id, ''),
         nullif(t.occurred_at, '-infinity'),
         coalesce(t.traits, 0::smallint)
  FROM candidates c
  CROSS JOIN query q
  LEFT JOIN LATERAL (
    SELECT r.words, r.trigrams, r.project_id, r.channel, r.session_id, r.occurred_at, r.traits
    FROM record_terms r
    WHERE r.agent_id = current_setting('rensou.agent_id', true) AND r.record_id = c.record_id
    OFFSET 0
  ) t ON true
  LEFT JOIN LATERAL (
    SELECT sum(g.gain) AS gain
    FROM (
      SELECT greatest(max(-(b.words <#> o.one) * b.weight) + (t.words <#> o.one), 0) AS gain
      FROM (
        SELECT p.words, p_context[CASE WHEN p.nth = 2 THEN 3 WHEN p.traits & 1 = 1 THEN 1 ELSE 2 END] AS weight
        FROM (
          SELECT r.words, r.traits, r.source_id,
                 row_number() OVER (ORDER BY r.occurred_at DESC, r.record_id DESC) AS nth
          FROM record_terms r
          WHERE r.agent_id = current_setting('rensou.agent_id', true)
            AND r.session_id = t.session_id
            AND r.session_id <> ''
            AND r.project_id = t.project_id
            AND r.channel = t.channel
            AND (r.occurred_at, r.record_id) < (t.occurred_at, c.record_id)
          ORDER BY r.occurred_at DESC, r.record_id DESC
          LIMIT 2
        ) p
        WHERE cardinality(p_context) = 3
          AND (p_source = '' OR p.source_id = p_source OR (p_source_prefix AND starts_with(p.source_id, p_source)))
          AND (p.words <#> q.words) < 0
      ) b
      CROSS JOIN ones o
      GROUP BY o.slot, o.one
    ) g
  ) x ON true
$$;

REVOKE ALL ON FUNCTION rensou.arm_exact_v1, rensou.arm_lexical_v1, rensou.slot_weights_v1, rensou.recall_candidates_v1
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.recall_candidates_v1 TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
