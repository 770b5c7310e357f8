-- migrate:up

-- The retrieval arms. They are functions of the tables' owner because row-level security would take their index
-- conditions away (&& is not leakproof); the agent comes from the transaction's setting and from nowhere else, and only
-- ids and scores leave. Versioned: a change is a new function, so that old and new services run side by side.

-- Nearest vectors of the agent, exactly. in: unit vector, model, scope, rows wanted. out: record, cosine similarity.
-- The settings hold the plan to the covering index, where an agent's vectors lie side by side: the planner prices it by
-- its pages, whose number is that of the heap, and the heap's rows are every agent's. Four branches, of which one runs:
-- a project is a condition of the index only where the plan knows that there is one.
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
       AND p_project IS NULL
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
       AND v.covered
       AND v.project_id = ANY (ARRAY[p_project, '']) AND p_project IS NOT NULL
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
       AND p_project IS NULL
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
       AND v.project_id = ANY (ARRAY[p_project, '']) AND p_project IS NOT NULL
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
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_bitmapscan = off
SET enable_seqscan = off AS $$
  WITH pending AS MATERIALIZED (
    SELECT d.delta, d.slots
    FROM term_deltas d
    WHERE d.agent_id = current_setting('rensou.agent_id', true)
    ORDER BY d.id DESC
    LIMIT 1000
  ),
  total AS MATERIALIZED (
    SELECT greatest(
      coalesce((SELECT sum(c.records) FROM scope_counts c WHERE c.agent_id = current_setting('rensou.agent_id', true)), 0)
        + coalesce((SELECT sum(p.delta) FROM pending p), 0),
      1)::double precision AS n
  ),
  late AS MATERIALIZED (
    SELECT s.slot, sum(p.delta) AS n
    FROM pending p
    CROSS JOIN LATERAL unnest(p.slots) AS s (slot)
    WHERE p.slots && p_slots AND s.slot = ANY (p_slots)
    GROUP BY s.slot
  ),
  folded AS MATERIALIZED (
    SELECT f.slot, f.records
    FROM term_frequencies f
    WHERE f.agent_id = current_setting('rensou.agent_id', true) AND f.slot = ANY (p_slots)
  ),
  counted AS (
    SELECT u.slot, least(greatest(coalesce(f.records, 0) + coalesce(l.n, 0), 0), t.n)::bigint AS records, t.n
    FROM (SELECT DISTINCT x.slot FROM unnest(p_slots) AS x (slot)) u
    CROSS JOIN total t
    LEFT JOIN late l ON l.slot = u.slot
    LEFT JOIN folded f ON f.slot = u.slot
  )
  SELECT c.slot, c.records, ln(1 + (c.n - c.records + .5) / (c.records + .5)::double precision)::real
  FROM counted c
$$;

-- How many records a project filter leaves the agent (NULL: all), by the same counts: folded and pending.
CREATE FUNCTION rensou.readable_records_v1(p_project text) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  SELECT greatest(
    coalesce((
      SELECT sum(c.records)
      FROM scope_counts c
      WHERE c.agent_id = current_setting('rensou.agent_id', true)
        AND (p_project IS NULL OR c.project_id = p_project OR c.project_id = '')
    ), 0) + coalesce((
      SELECT sum(d.delta)
      FROM (
        SELECT d.delta, d.project_id
        FROM term_deltas d
        WHERE d.agent_id = current_setting('rensou.agent_id', true)
        ORDER BY d.id DESC
        LIMIT 1000
      ) d
      WHERE p_project IS NULL OR d.project_id = p_project OR d.project_id = ''
    ), 0),
    0)::bigint
$$;

REVOKE ALL ON FUNCTION rensou.arm_exact_v1, rensou.arm_lexical_v1, rensou.slot_weights_v1, rensou.readable_records_v1
  FROM PUBLIC;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
