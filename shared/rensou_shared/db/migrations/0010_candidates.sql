-- migrate:up

-- Candidates of both arms and, with p_context, the two records that follow each of the 50 best of the lexical arm in
-- their session; each scored exactly by every arm. in: unit vector or NULL, active model, hashes of the words (64 bit),
-- slots of the trigrams, scope, depth an arm, weights of what a record's two predecessors in its session said: the
-- nearest when it asks, the nearest when not, the one before; empty reads no session; records above which the vector arm
-- reads an approximate index. out: ids, scores and ranks, in no promised order, and one row more, without an id, that
-- says how the vector arm searched ('none' without a vector) and how many records the project filter left. The words'
-- rarest terms come first until their records number 2,000 (the first that any record holds is always read), so that a
-- common word beside a rare one never reads the whole agent.
-- An index that found fewer rows than asked is not believed: the exact arm answers instead.
-- context is what the words' BM25 gains when each of the 32 heaviest terms counts where it weighs most: in the record
-- itself or, weighted, in a predecessor that the scope reads. Computed here and stored nowhere.
-- The plan is made once a connection, for whichever agent comes first, or none, and kept for all: the settings hold it to
-- the index that has the order, where the planner takes an agent that it has not met for an empty one and reads it whole.
CREATE FUNCTION rensou.recall_candidates_v1(
  p_query halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text,
  p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint
) RETURNS TABLE (
  record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer,
  trigrams double precision, context double precision, project_id text, channel text, session_id text,
  occurred_at timestamptz, traits smallint, former bigint, source_name text, vector_plan text, readable_records bigint
)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off AS $$
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
      coalesce((SELECT array_agg(w.h) FROM words w WHERE w.cumulative <= 2000 OR w.cumulative = w.records), '{}') AS hashes,
      ARRAY(SELECT ('{' || x.slot || ':' || x.idf || '}/999999937')::sparsevec
            FROM (SELECT DISTINCT w.slot, w.idf FROM words w ORDER BY w.idf DESC, w.slot LIMIT 32) x) AS ones
  ),
  plan AS MATERIALIZED (
    SELECT s.readable, s.lane, vector_plan_v1(s.readable, p_ann_above, s.lane IS NOT NULL) AS name
    FROM (SELECT readable_records_v1(p_project) AS readable, ann_lane_v1(p_model_id) AS lane) s
  ),
  approximate AS MATERIALIZED (
    SELECT a.record_id, a.cosine
    FROM plan p
    CROSS JOIN LATERAL arm_ann_v1(
      p_query, p_model_id, p.lane, p_project, p_channel, p_source, p_source_prefix, p_depth
    ) a
    WHERE p.name = 'ann'
  ),
  searched AS MATERIALIZED (
    SELECT CASE WHEN p_query IS NULL OR p_model_id IS NULL THEN 'none'
                WHEN p.name = 'ann' AND (SELECT count(*) FROM approximate) < p_depth THEN 'ann, then exact'
                ELSE p.name END AS name,
           p.readable
    FROM plan p
  ),
  near AS MATERIALIZED (
    SELECT n.record_id, n.cosine, row_number() OVER (ORDER BY n.cosine DESC, n.record_id) AS rank
    FROM (
      SELECT a.record_id, a.cosine
      FROM approximate a
      CROSS JOIN searched s
      WHERE s.name = 'ann'
      UNION ALL
      SELECT a.record_id, a.cosine
      FROM (SELECT p_depth AS depth FROM searched s WHERE s.name IN ('exact', 'ann, then exact') OFFSET 0) s
      CROSS JOIN LATERAL arm_exact_v1(
        p_query, p_model_id, p_project, p_channel, p_source, p_source_prefix, s.depth
      ) a
    ) n
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
  ),
  scored AS MATERIALIZED (
    SELECT c.record_id,
           coalesce(c.cosine, -(
             SELECT v.embedding <#> p_query
             FROM record_vectors v
             WHERE v.agent_id = current_setting('rensou.agent_id', true)
               AND v.record_id = c.record_id
               AND v.model_id = p_model_id
           )) AS cosine,
           c.vector_rank,
           coalesce(c.bm25, t.bm25, 0) AS bm25,
           c.lexical_rank,
           coalesce(-(t.trigrams <#> q.trigrams), 0) AS trigrams,
           t.project_id, t.channel, t.session_id, t.occurred_at, t.traits, t.source_name,
           CASE WHEN t.has_neighbours AND t.bm25 > 0 THEN
             ARRAY(SELECT -(t.words <#> o.one) FROM unnest(q.ones) AS o (one))
           END AS parts,
           CASE WHEN t.has_neighbours THEN ARRAY(
             SELECT r.record_id
             FROM record_terms r
             WHERE r.agent_id = current_setting('rensou.agent_id', true)
               AND r.session_id = t.session_id
               AND r.session_id <> ''
               AND r.project_id = t.project_id
               AND r.channel = t.channel
               AND (r.occurred_at, r.record_id) < (t.occurred_at, c.record_id)
             ORDER BY r.occurred_at DESC, r.record_id DESC
             LIMIT 2
           ) END AS former
    FROM candidates c
    CROSS JOIN query q
    LEFT JOIN LATERAL (
      SELECT r.words, r.trigrams, r.project_id, r.channel, r.session_id, r.occurred_at, r.traits, r.source_name,
             -(r.words <#> q.words) AS bm25, r.session_id <> '' AND cardinality(p_context) = 3 AS has_neighbours
      FROM record_terms r
      WHERE r.agent_id = current_setting('rensou.agent_id', true) AND r.record_id = c.record_id
      OFFSET 0
    ) t ON true
  ),
  -- What each predecessor says of the question, by its terms: most are candidates, whose rows are read already.
  heard AS MATERIALIZED (
    SELECT s.record_id, s.traits & 1 = 1 AS asks, s.parts
    FROM scored s
    WHERE s.parts IS NOT NULL
    UNION ALL
    SELECT t.record_id, t.asks, t.parts
    FROM (
      SELECT DISTINCT f.id
      FROM scored s
      CROSS JOIN LATERAL unnest(s.former) AS f (id)
      WHERE NOT EXISTS (SELECT FROM candidates c WHERE c.record_id = f.id)
    ) f
    CROSS JOIN query q
    CROSS JOIN LATERAL (
      SELECT r.record_id, r.traits & 1 = 1 AS asks,
             ARRAY(SELECT -(r.words <#> o.one) FROM unnest(q.ones) AS o (one)) AS parts
      FROM record_terms r
      WHERE r.agent_id = current_setting('rensou.agent_id', true)
        AND r.record_id = f.id
        AND (p_source = '' OR r.source_id = p_source OR (p_source_prefix AND starts_with(r.source_id, p_source)))
        AND (r.words <#> q.words) < 0
      OFFSET 0
    ) t
  )
  SELECT s.record_id, s.cosine, s.vector_rank::integer, s.bm25, s.lexical_rank::integer, s.trigrams,
         CASE WHEN n.record_id IS NULL AND f.record_id IS NULL THEN 0 ELSE (
           SELECT sum(greatest(greatest(x.near * x.weight, x.far * p_context[3], 0) - coalesce(x.own, 0), 0))
           FROM (
             SELECT unnest(n.parts) AS near, unnest(f.parts) AS far, unnest(s.parts) AS own,
                    p_context[CASE WHEN n.asks THEN 1 ELSE 2 END] AS weight
           ) x
         ) END,
         coalesce(s.project_id, ''), coalesce(s.channel, ''), coalesce(s.session_id, ''),
         nullif(s.occurred_at, '-infinity'), coalesce(s.traits, 0::smallint), s.former[1],
         coalesce(s.source_name, ''), NULL::text, NULL::bigint
  FROM scored s
  LEFT JOIN heard n ON n.record_id = s.former[1]
  LEFT JOIN heard f ON f.record_id = s.former[2]
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, x.name, x.readable
  FROM searched x
$$;

REVOKE ALL ON FUNCTION rensou.recall_candidates_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.recall_candidates_v1 TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
