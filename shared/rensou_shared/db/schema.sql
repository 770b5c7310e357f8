CREATE SCHEMA rensou;

ALTER SCHEMA rensou OWNER TO rensou_owner;

CREATE SCHEMA rensou_known;

ALTER SCHEMA rensou_known OWNER TO rensou_owner;

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

CREATE FUNCTION rensou.activate_embedding_model_v1(p_fingerprint text, p_divider_version integer, p_allow_incomplete boolean) RETURNS TABLE(former_fingerprint text, lacking bigint, activated boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
DECLARE
  v_model embedding_models;
  v_former text;
  v_lacking bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('rensou.embedding_models', 0));
  SELECT m.* INTO v_model FROM embedding_models m WHERE m.fingerprint = p_fingerprint;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT m.fingerprint INTO v_former FROM embedding_models m WHERE m.state = 'active';
  SELECT count(*) INTO v_lacking FROM lacking_under_v1(v_model.id, v_model.token_window, p_divider_version) l;
  IF v_model.state = 'active' OR (v_lacking > 0 AND NOT p_allow_incomplete) THEN
    RETURN QUERY SELECT v_former, v_lacking, false;
    RETURN;
  END IF;
  UPDATE embedding_models m SET state = 'retired' WHERE m.state = 'active';
  UPDATE embedding_models m SET state = 'active' WHERE m.id = v_model.id;
  RETURN QUERY SELECT v_former, v_lacking, true;
END
$$;

ALTER FUNCTION rensou.activate_embedding_model_v1(p_fingerprint text, p_divider_version integer, p_allow_incomplete boolean) OWNER TO rensou_owner;

CREATE FUNCTION rensou.agents_with_term_deltas_v1(p_limit integer) RETURNS TABLE(agent_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  WITH RECURSIVE a (agent_id, n) AS (
    (SELECT d.agent_id, 1 FROM term_deltas d ORDER BY d.agent_id LIMIT 1)
    UNION ALL
    SELECT x.agent_id, a.n + 1
    FROM a
    CROSS JOIN LATERAL (
      SELECT d.agent_id FROM term_deltas d WHERE d.agent_id > a.agent_id ORDER BY d.agent_id LIMIT 1
    ) x
    WHERE a.n < p_limit
  )
  SELECT a.agent_id FROM a
$$;

ALTER FUNCTION rensou.agents_with_term_deltas_v1(p_limit integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.aliases_keep_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO alias_history (
    agent_id, entity_id, project_id, channel, normalized, alias, is_name, created_at, deleted_at
  )
  VALUES (OLD.agent_id, OLD.entity_id, OLD.project_id, OLD.channel, OLD.normalized, OLD.alias, OLD.is_name,
          OLD.created_at, statement_timestamp())
  ON CONFLICT (agent_id, entity_id, project_id, channel, normalized) DO UPDATE
  SET created_at = excluded.created_at, deleted_at = excluded.deleted_at;
  RETURN OLD;
END
$$;

ALTER FUNCTION rensou.aliases_keep_history() OWNER TO rensou_owner;

CREATE FUNCTION rensou.ann_agents_to_tend_v1(p_ann_above bigint) RETURNS TABLE(agent_id text, model_id integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  SELECT s.agent_id, m.id
  FROM (SELECT c.agent_id FROM scope_counts c GROUP BY c.agent_id HAVING sum(c.records) > p_ann_above) s
  JOIN embedding_models m ON m.state IN ('active', 'building') AND EXISTS (SELECT FROM ann_lanes_v1(m.id))
  UNION
  SELECT a.agent_id, a.model_id
  FROM ann_agents a
$$;

ALTER FUNCTION rensou.ann_agents_to_tend_v1(p_ann_above bigint) OWNER TO rensou_owner;

CREATE FUNCTION rensou.ann_enter_v1(p_model_id integer, p_least_share double precision) RETURNS smallint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  WITH own AS MATERIALIZED (
    SELECT coalesce(sum(c.records), 0) AS records
    FROM scope_counts c
    WHERE c.agent_id = current_setting('rensou.agent_id', true)
  ),
  held AS MATERIALIZED (
    SELECT a.lane, sum(x.records) AS records, min(x.records) AS least
    FROM ann_agents a
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(c.records), 0) AS records FROM scope_counts c WHERE c.agent_id = a.agent_id
    ) x
    WHERE a.model_id = p_model_id
    GROUP BY a.lane
  )
  INSERT INTO ann_agents AS n (agent_id, model_id, lane, state)
  SELECT current_setting('rensou.agent_id', true), p_model_id, l.lane, 'flagging'
  FROM ann_lanes_v1(p_model_id) l
  CROSS JOIN own o
  LEFT JOIN held h ON h.lane = l.lane
  WHERE least(o.records, coalesce(h.least, o.records)) >= p_least_share * (o.records + coalesce(h.records, 0))
  ORDER BY coalesce(h.records, 0), l.lane
  LIMIT 1
  ON CONFLICT DO NOTHING
  RETURNING n.lane
$$;

ALTER FUNCTION rensou.ann_enter_v1(p_model_id integer, p_least_share double precision) OWNER TO rensou_owner;

CREATE FUNCTION rensou.ann_lane_v1(p_model_id integer) RETURNS smallint
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
  SELECT a.lane
  FROM ann_agents a
  JOIN LATERAL (
    SELECT i.indisvalid
    FROM pg_catalog.pg_index i
    WHERE i.indexrelid = to_regclass('rensou.record_vectors_ann_' || p_model_id || '_' || a.lane)
    OFFSET 0
  ) x ON x.indisvalid
  WHERE a.agent_id = current_setting('rensou.agent_id', true)
    AND a.model_id = p_model_id
    AND a.state = 'ready'
$$;

ALTER FUNCTION rensou.ann_lane_v1(p_model_id integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.ann_lanes_v1(p_model_id integer) RETURNS TABLE(lane smallint)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $_$
  SELECT substring(c.relname FROM '[0-9]+$')::smallint
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = 'rensou.record_vectors'::regclass
    AND i.indisvalid
    AND c.relname ~ ('^record_vectors_ann_' || p_model_id || '_[0-9]{1,3}$')
$_$;

ALTER FUNCTION rensou.ann_lanes_v1(p_model_id integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.ann_standing_v1(p_model_id integer) RETURNS TABLE(records bigint, share double precision, state text, any_unflagged boolean, any_flagged boolean, seen_by_all boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  WITH sizes AS MATERIALIZED (
    SELECT x.agent_id, coalesce((SELECT sum(c.records) FROM scope_counts c WHERE c.agent_id = x.agent_id), 0) AS records
    FROM (
      SELECT current_setting('rensou.agent_id', true) AS agent_id
      UNION
      SELECT b.agent_id
      FROM ann_agents a
      JOIN ann_agents b ON b.model_id = a.model_id AND b.lane = a.lane
      WHERE a.agent_id = current_setting('rensou.agent_id', true) AND a.model_id = p_model_id
    ) x
  )
  SELECT s.records::bigint,
         coalesce(s.records / nullif((SELECT sum(z.records) FROM sizes z), 0), 1)::double precision,
         a.state,
         EXISTS (SELECT FROM record_vectors v
                 WHERE v.agent_id = s.agent_id AND v.model_id = p_model_id AND v.ann_lane IS NULL),
         EXISTS (SELECT FROM record_vectors v
                 WHERE v.agent_id = s.agent_id AND v.model_id = p_model_id AND v.ann_lane IS NOT NULL),
         coalesce(pg_snapshot_xmin(pg_current_snapshot()) >= a.since_xid, false)
  FROM sizes s
  LEFT JOIN ann_agents a ON a.agent_id = s.agent_id AND a.model_id = p_model_id
  WHERE s.agent_id = current_setting('rensou.agent_id', true)
$$;

ALTER FUNCTION rensou.ann_standing_v1(p_model_id integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.arm_ann_v1(p_query public.halfvec, p_model_id integer, p_lane smallint, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) RETURNS TABLE(record_id bigint, cosine double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET "hnsw.iterative_scan" TO 'relaxed_order'
    SET "hnsw.ef_search" TO '400'
    SET "hnsw.max_scan_tuples" TO '5000'
    AS $_$
BEGIN
  IF p_query IS NULL THEN
    RETURN;
  END IF;
  -- Wider for more rows; the function's own SET takes it back.
  PERFORM set_config('hnsw.ef_search', least(1000, greatest(400, 6 * p_depth))::text, true);
  RETURN QUERY EXECUTE format(
    $statement$
    SELECT x.record_id, -x.distance
    FROM (
      SELECT v.record_id, (v.embedding::halfvec(%1$s)) <#> $1::halfvec(%1$s) AS distance
      FROM record_vectors v
      WHERE v.agent_id = current_setting('rensou.agent_id', true)
        AND v.model_id = %2$s
        AND v.ann_lane = %3$s
        AND ($2 IS NULL OR v.project_id = $2 OR v.project_id = '')
        AND ($3 = '' OR v.channel = $3 OR v.channel = '')
        AND ($4 = '' OR v.source_id = $4 OR ($5 AND starts_with(v.source_id, $4)))
      ORDER BY (v.embedding::halfvec(%1$s)) <#> $1::halfvec(%1$s)
      LIMIT $6
    ) x
    ORDER BY x.distance, x.record_id
    $statement$,
    vector_dims(p_query), p_model_id, p_lane
  ) USING p_query, p_project, p_channel, p_source, p_source_prefix, p_depth;
END
$_$;

ALTER FUNCTION rensou.arm_ann_v1(p_query public.halfvec, p_model_id integer, p_lane smallint, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.arm_cue_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_start timestamp with time zone, p_end timestamp with time zone, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer) RETURNS TABLE(held integer, record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  WITH period AS MATERIALIZED (
    SELECT u.id, row_number() OVER (ORDER BY u.happened_at DESC, u.id DESC) AS nth
    FROM (
      (
        SELECT h.id, h.happened_at
        FROM records h
        WHERE h.agent_id = current_setting('rensou.agent_id', true)
          AND h.happened_at >= p_start
          AND h.happened_at < p_end
          AND h.retired_at IS NULL
          AND (p_project IS NULL OR h.project_id = p_project OR h.project_id = '')
          AND (p_channel = '' OR h.channel = p_channel OR h.channel = '')
          AND (p_source = '' OR h.source_id = p_source OR (p_source_prefix AND starts_with(h.source_id, p_source)))
        ORDER BY h.happened_at DESC, h.id DESC
        LIMIT p_newest + 1
      )
      UNION
      (
        SELECT k.id, k.happened_at
        FROM validity_assertions v
        CROSS JOIN LATERAL (
          SELECT n.id, n.happened_at, n.project_id, n.channel, n.source_id
          FROM records n
          WHERE n.agent_id = current_setting('rensou.agent_id', true)
            AND n.id = v.record_id
            AND n.retired_at IS NULL
          OFFSET 0
        ) k
        WHERE v.agent_id = current_setting('rensou.agent_id', true)
          AND v.superseded_at IS NULL
          AND v.record_id IS NOT NULL
          AND coalesce(v.valid_from < p_end, true)
          AND coalesce(v.valid_to > p_start, true)
          AND (p_project IS NULL OR k.project_id = p_project OR k.project_id = '')
          AND (p_channel = '' OR k.channel = p_channel OR k.channel = '')
          AND (p_source = '' OR k.source_id = p_source OR (p_source_prefix AND starts_with(k.source_id, p_source)))
        ORDER BY k.happened_at DESC, k.id DESC
        LIMIT p_newest + 1
      )
    ) u
    ORDER BY u.happened_at DESC, u.id DESC
    LIMIT p_newest + 1
  ),
  query AS MATERIALIZED (
    SELECT coalesce(('{' || string_agg(w.slot || ':' || w.idf, ',') || '}/999999937')::sparsevec, '{}/999999937') AS words
    FROM slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h))) w
  ),
  scored AS MATERIALIZED (
    SELECT p.id,
           (SELECT -(v.embedding <#> p_query)
            FROM record_vectors v
            WHERE v.agent_id = current_setting('rensou.agent_id', true)
              AND v.record_id = p.id
              AND v.model_id = p_model_id
              AND p_query IS NOT NULL) AS cosine,
           coalesce((
             SELECT -(t.words <#> q.words)
             FROM record_terms t
             WHERE t.agent_id = current_setting('rensou.agent_id', true)
               AND t.record_id = p.id
           ), 0) AS bm25
    FROM period p
    CROSS JOIN query q
    WHERE p.nth <= p_newest
  ),
  ranked AS MATERIALIZED (
    SELECT s.id, s.cosine, s.bm25,
           CASE WHEN s.cosine IS NOT NULL THEN row_number() OVER (ORDER BY s.cosine DESC NULLS LAST, s.id) END AS vector_rank,
           CASE WHEN s.bm25 > 0 THEN row_number() OVER (ORDER BY s.bm25 DESC, s.id) END AS lexical_rank
    FROM scored s
  )
  SELECT h.held, x.id, x.cosine,
         CASE WHEN x.vector_rank <= p_depth THEN x.vector_rank END::integer,
         x.bm25,
         CASE WHEN x.lexical_rank <= p_depth THEN x.lexical_rank END::integer
  FROM (SELECT count(*)::integer AS held FROM period) h
  LEFT JOIN ranked x ON x.vector_rank <= p_depth OR x.lexical_rank <= p_depth
$$;

ALTER FUNCTION rensou.arm_cue_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_start timestamp with time zone, p_end timestamp with time zone, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.arm_exact_v1(p_query public.halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) RETURNS TABLE(record_id bigint, cosine double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET random_page_cost TO '0.5'
    AS $$
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

ALTER FUNCTION rensou.arm_exact_v1(p_query public.halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.arm_lexical_v1(p_weights public.sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) RETURNS TABLE(record_id bigint, bm25 double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
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

ALTER FUNCTION rensou.arm_lexical_v1(p_weights public.sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.arm_retired_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_most integer) RETURNS TABLE(held bigint, record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer, trigrams double precision, share double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
  WITH retired AS MATERIALIZED (
    SELECT r.id, row_number() OVER (ORDER BY r.id DESC) AS nth
    FROM records r
    WHERE r.agent_id = current_setting('rensou.agent_id', true)
      AND r.retired_at IS NOT NULL
      AND (p_project IS NULL OR r.project_id = p_project OR r.project_id = '')
      AND (p_channel = '' OR r.channel = p_channel OR r.channel = '')
      AND (p_source = '' OR r.source_id = p_source OR (p_source_prefix AND starts_with(r.source_id, p_source)))
  ),
  weights AS MATERIALIZED (
    SELECT w.slot, w.idf
    FROM slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h)) || p_trigrams) w
  ),
  words AS MATERIALIZED (
    SELECT u.h, w.slot, w.idf FROM unnest(p_words) AS u (h) JOIN weights w ON w.slot = term_slot(u.h)
  ),
  query AS MATERIALIZED (
    SELECT
      coalesce((SELECT ('{' || string_agg(x.slot || ':' || x.idf, ',') || '}/999999937')::sparsevec
                FROM (SELECT DISTINCT w.slot, w.idf FROM words w) x), '{}/999999937') AS words,
      coalesce((SELECT ('{' || string_agg(w.slot || ':' || w.idf, ',') || '}/999999937')::sparsevec
                FROM weights w WHERE w.slot = ANY (p_trigrams)), '{}/999999937') AS trigrams,
      (SELECT sum(w.idf::double precision ORDER BY w.h) FROM words w) AS idf
  ),
  scored AS MATERIALIZED (
    SELECT h.id,
           (SELECT -(v.embedding <#> p_query)
            FROM retired_vectors v
            WHERE v.agent_id = current_setting('rensou.agent_id', true)
              AND v.record_id = h.id
              AND v.model_id = p_model_id
              AND p_query IS NOT NULL) AS cosine,
           coalesce(t.bm25, 0) AS bm25, coalesce(t.trigrams, 0) AS trigrams, coalesce(t.share, 0) AS share
    FROM retired h
    CROSS JOIN query q
    LEFT JOIN LATERAL (
      SELECT -(r.words <#> q.words) AS bm25, -(r.trigrams <#> q.trigrams) AS trigrams,
             (SELECT sum(w.idf::double precision ORDER BY w.h) FROM words w WHERE w.h = ANY (r.hashes))
               / nullif(q.idf, 0) AS share
      FROM retired_terms r
      WHERE r.agent_id = current_setting('rensou.agent_id', true) AND r.record_id = h.id
      OFFSET 0
    ) t ON true
    WHERE h.nth <= p_most
  ),
  ranked AS MATERIALIZED (
    SELECT s.id, s.cosine, s.bm25, s.trigrams, s.share,
           CASE WHEN s.cosine IS NOT NULL THEN row_number() OVER (ORDER BY s.cosine DESC NULLS LAST, s.id) END
             AS vector_rank,
           CASE WHEN s.bm25 > 0 THEN row_number() OVER (ORDER BY s.bm25 DESC, s.id) END AS lexical_rank
    FROM scored s
  )
  SELECT c.held, x.id, x.cosine,
         CASE WHEN x.vector_rank <= p_depth THEN x.vector_rank END::integer,
         x.bm25,
         CASE WHEN x.lexical_rank <= p_depth THEN x.lexical_rank END::integer,
         x.trigrams, x.share
  FROM (SELECT count(*) AS held FROM retired) c
  LEFT JOIN ranked x ON x.vector_rank <= p_depth OR x.lexical_rank <= p_depth
$$;

ALTER FUNCTION rensou.arm_retired_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_most integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.builds_summary_v1(p_agents text[], p_first_agent text, p_last_agent text) RETURNS TABLE(pending bigint, quarantined bigint, running bigint, dead bigint, rebuilds bigint, oldest_s double precision, ended bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  SELECT count(*) FILTER (WHERE b.state = 'pending' AND b.crashes = 0 AND NOT b.rebuild),
         count(*) FILTER (WHERE b.state = 'pending' AND b.crashes > 0),
         count(*) FILTER (WHERE b.state = 'running'),
         count(*) FILTER (WHERE b.state = 'dead'),
         count(*) FILTER (WHERE b.state = 'pending' AND b.crashes = 0 AND b.rebuild),
         coalesce(extract(epoch FROM clock_timestamp() - min(b.created_at) FILTER (
           WHERE b.state = 'pending' AND (b.crashes > 0 OR NOT b.rebuild)
         )), 0)::double precision,
         (
           SELECT count(*)
           FROM node_builds e
           WHERE e.state IN ('done', 'superseded') AND e.finished_at > now() - interval '1 min'
             AND (p_agents IS NULL OR e.agent_id = ANY (p_agents))
         )
  FROM node_builds b
  WHERE b.state IN ('pending', 'running', 'dead')
    AND b.agent_id || '' >= p_first_agent AND b.agent_id || '' <= p_last_agent
    AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
$$;

ALTER FUNCTION rensou.builds_summary_v1(p_agents text[], p_first_agent text, p_last_agent text) OWNER TO rensou_owner;

CREATE FUNCTION rensou.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) RETURNS TABLE(nodes bigint)
    LANGUAGE sql STABLE
    AS $$
  SELECT count(*)
  FROM (
    SELECT n.end_char, n.token_window, n.divider_version,
           n.start_char = lag(n.end_char, 1, 0) OVER (ORDER BY n.node_index) AS follows
    FROM rensou.record_nodes n
    WHERE n.agent_id = p_agent_id AND n.record_id = p_record_id AND n.model_id = p_model_id
  ) s
  HAVING bool_and(
           s.follows AND s.divider_version = p_divider_version
           AND (p_token_window IS NULL OR s.token_window = p_token_window)
         )
    AND max(s.end_char) = p_chars
$$;

ALTER FUNCTION rensou.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.embedding_models_v1(p_divider_version integer, p_model_id integer DEFAULT NULL::integer) RETURNS TABLE(id integer, fingerprint text, name text, dimensions integer, token_window integer, state text, created_at timestamp with time zone, records bigint, lacking bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  WITH total AS MATERIALIZED (SELECT count(*) AS records FROM records r WHERE r.retired_at IS NULL)
  SELECT m.id, m.fingerprint, m.name, m.dimensions, m.token_window, m.state, m.created_at, t.records,
         (SELECT count(*) FROM lacking_under_v1(m.id, m.token_window, p_divider_version) l)
  FROM embedding_models m
  CROSS JOIN total t
  WHERE p_model_id IS NULL OR m.id = p_model_id
$$;

ALTER FUNCTION rensou.embedding_models_v1(p_divider_version integer, p_model_id integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.entities_keep_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM entity_history h WHERE h.agent_id = OLD.agent_id AND h.id = OLD.id;
  INSERT INTO entity_history (agent_id, id, project_id, channel, name, declared_by, created_at, deleted_at)
  VALUES (OLD.agent_id, OLD.id, OLD.project_id, OLD.channel, OLD.name, OLD.declared_by, OLD.created_at,
          statement_timestamp());
  RETURN OLD;
END
$$;

ALTER FUNCTION rensou.entities_keep_history() OWNER TO rensou_owner;

CREATE FUNCTION rensou.gate_words_v1(p_words bigint[], p_records bigint[]) RETURNS TABLE(record_id bigint, share double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
  WITH words AS MATERIALIZED (
    SELECT u.h, w.idf::double precision AS idf
    FROM unnest(p_words) AS u (h)
    JOIN slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h))) w ON w.slot = term_slot(u.h)
  ),
  total AS MATERIALIZED (
    SELECT sum(w.idf ORDER BY w.h) AS idf FROM words w
  )
  SELECT t.record_id,
         coalesce((SELECT sum(w.idf ORDER BY w.h) FROM words w WHERE w.h = ANY (t.hashes)), 0) / n.idf
  FROM record_terms t
  CROSS JOIN total n
  WHERE t.agent_id = current_setting('rensou.agent_id', true)
    AND t.record_id = ANY (p_records)
    AND n.idf > 0
$$;

ALTER FUNCTION rensou.gate_words_v1(p_words bigint[], p_records bigint[]) OWNER TO rensou_owner;

CREATE FUNCTION rensou.lacking_under_v1(p_model_id integer, p_token_window integer, p_divider_version integer) RETURNS TABLE(agent_id text, record_id bigint, content_sha256 bytea)
    LANGUAGE sql STABLE
    AS $$
  SELECT r.agent_id, r.id, r.content_sha256
  FROM rensou.records r
  LEFT JOIN rensou.record_vectors v
    ON v.agent_id = r.agent_id AND v.record_id = r.id AND v.model_id = p_model_id
  WHERE r.retired_at IS NULL
    AND (v.record_id IS NULL
         OR (v.token_count > p_token_window AND NOT EXISTS (
           SELECT FROM rensou.current_nodes_v1(
             r.agent_id, r.id, r.content_chars, p_model_id, p_token_window, p_divider_version
           )
         )))
$$;

ALTER FUNCTION rensou.lacking_under_v1(p_model_id integer, p_token_window integer, p_divider_version integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.list_builds_v1(p_agents text[], p_last_agent text, p_state text, p_after_agent text, p_after_id bigint, p_limit integer) RETURNS TABLE(agent_id text, id bigint, kind text, record_id bigint, state text, errors integer, crashes integer, next_at timestamp with time zone, lease_until timestamp with time zone, created_at timestamp with time zone, age_s double precision, last_error text, fingerprint text, rebuild boolean, outdated boolean)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  WITH k AS MATERIALIZED (
    (
      SELECT b.agent_id, b.id
      FROM node_builds b
      WHERE b.state IN ('pending', 'running', 'dead')
        AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'pending'
        AND (p_state IS NULL OR p_state = 'pending')
        AND (b.agent_id || '', b.id) > (p_after_agent, p_after_id) AND b.agent_id || '' <= p_last_agent
        AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
      ORDER BY b.agent_id || '', b.id LIMIT p_limit
    )
    UNION ALL
    (
      SELECT b.agent_id, b.id
      FROM node_builds b
      WHERE b.state IN ('pending', 'running', 'dead')
        AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'quarantined'
        AND (p_state IS NULL OR p_state = 'quarantined')
        AND (b.agent_id || '', b.id) > (p_after_agent, p_after_id) AND b.agent_id || '' <= p_last_agent
        AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
      ORDER BY b.agent_id || '', b.id LIMIT p_limit
    )
    UNION ALL
    (
      SELECT b.agent_id, b.id
      FROM node_builds b
      WHERE b.state IN ('pending', 'running', 'dead')
        AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'running'
        AND (p_state IS NULL OR p_state = 'running')
        AND (b.agent_id || '', b.id) > (p_after_agent, p_after_id) AND b.agent_id || '' <= p_last_agent
        AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
      ORDER BY b.agent_id || '', b.id LIMIT p_limit
    )
    UNION ALL
    (
      SELECT b.agent_id, b.id
      FROM node_builds b
      WHERE b.state IN ('pending', 'running', 'dead')
        AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'dead'
        AND (p_state IS NULL OR p_state = 'dead')
        AND (b.agent_id || '', b.id) > (p_after_agent, p_after_id) AND b.agent_id || '' <= p_last_agent
        AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
      ORDER BY b.agent_id || '', b.id LIMIT p_limit
    )
  )
  SELECT b.agent_id, b.id, r.kind, b.record_id,
         CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END,
         b.errors, b.crashes, b.next_at, b.lease_until, b.created_at,
         extract(epoch FROM clock_timestamp() - b.created_at)::double precision, b.last_error, m.fingerprint, b.rebuild,
         r.content_sha256 <> b.content_sha256 OR coalesce(m.state = 'retired', false)
  FROM k
  JOIN node_builds b ON b.agent_id = k.agent_id AND b.id = k.id
  JOIN records r ON r.agent_id = b.agent_id AND r.id = b.record_id
  LEFT JOIN embedding_models m ON m.id = b.model_id
  ORDER BY b.agent_id, b.id
  LIMIT p_limit
$$;

ALTER FUNCTION rensou.list_builds_v1(p_agents text[], p_last_agent text, p_state text, p_after_agent text, p_after_id bigint, p_limit integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.mentions_keep_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO mention_history (agent_id, entity_id, record_id, declared_by, declared_at, retracted_at)
  SELECT OLD.agent_id, OLD.entity_id, OLD.record_id, OLD.declared_by, OLD.created_at, statement_timestamp()
  FROM records r
  WHERE r.agent_id = OLD.agent_id AND r.id = OLD.record_id;
  RETURN OLD;
END
$$;

ALTER FUNCTION rensou.mentions_keep_history() OWNER TO rensou_owner;

CREATE FUNCTION rensou.pending_builds_v1(p_cap bigint) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  SELECT count(*)
  FROM (SELECT FROM node_builds b WHERE b.state = 'pending' AND NOT b.rebuild LIMIT p_cap) x
$$;

ALTER FUNCTION rensou.pending_builds_v1(p_cap bigint) OWNER TO rensou_owner;

CREATE FUNCTION rensou.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer) RETURNS TABLE(entity_id bigint, normalized text)
    LANGUAGE sql STABLE PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    AS $$
  WITH RECURSIVE step (rest, upto, name) AS (
    -- No normal form begins with a space. By pieces, since to find a character of a text is to count from its beginning.
    SELECT substr(q.piece, k.n, 64) COLLATE "C", substr(q.piece, k.n, 64) COLLATE "C", NULL::text COLLATE "C"
    FROM (
      SELECT substr(p_question, b.n, 127) AS piece
      FROM generate_series(1, length(p_question), 64) AS b (n)
      OFFSET 0
    ) q
    CROSS JOIN generate_series(1, 64) AS k (n)
    WHERE substr(q.piece, k.n, 1) NOT IN ('', ' ')
      AND EXISTS (SELECT FROM entity_aliases a WHERE a.agent_id = current_setting('rensou.agent_id', true))
    UNION ALL
    SELECT s.rest, left(s.rest, least(length(s.upto) - 1, length(p.normalized) - 1, p.same)),
           CASE WHEN starts_with(s.rest, p.normalized) THEN p.normalized END
    FROM step s
    CROSS JOIN LATERAL (
      SELECT x.normalized, CASE
        WHEN left(x.normalized, 2) <> left(s.rest, 2) THEN 1
        WHEN left(x.normalized, 3) <> left(s.rest, 3) THEN 2
        WHEN left(x.normalized, 4) <> left(s.rest, 4) THEN 3
        WHEN left(x.normalized, 8) <> left(s.rest, 8) THEN 7
        WHEN left(x.normalized, 16) <> left(s.rest, 16) THEN 15
        WHEN left(x.normalized, 32) <> left(s.rest, 32) THEN 31
      END AS same
      FROM (
        SELECT a.normalized
        FROM entity_aliases a
        WHERE a.agent_id = current_setting('rensou.agent_id', true)
          AND a.normalized <= s.upto
          AND a.normalized >= left(s.upto, 1)
        ORDER BY a.normalized DESC
        LIMIT 1
      ) x
    ) p
    WHERE s.upto <> ''
  )
  SELECT n.entity_id, n.normalized
  FROM unnest((
    -- Gathered in an array: the planner expects thousands of names, and would make room for them.
    SELECT array_agg(DISTINCT x.name)
    FROM (
      SELECT s.name FROM step s WHERE s.name IS NOT NULL
      UNION ALL
      SELECT a.normalized
      FROM entity_aliases a
      WHERE a.agent_id = current_setting('rensou.agent_id', true)
        AND length(a.normalized) > 64
        AND strpos(p_question, a.normalized) > 0
    ) x
  )) AS f (name)
  CROSS JOIN LATERAL (
    SELECT a.entity_id, a.normalized
    FROM entity_aliases a
    WHERE a.agent_id = current_setting('rensou.agent_id', true)
      AND a.normalized >= f.name
      AND a.normalized <= f.name
      AND (p_project IS NULL OR a.project_id = p_project OR a.project_id = '')
      AND (p_channel = '' OR a.channel = p_channel OR a.channel = '')
    ORDER BY a.normalized
    OFFSET 0
  ) n
  ORDER BY length(n.normalized) DESC, n.normalized, n.entity_id
  LIMIT p_keep
$$;

ALTER FUNCTION rensou.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.readable_records_v1(p_project text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
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

ALTER FUNCTION rensou.readable_records_v1(p_project text) OWNER TO rensou_owner;

CREATE FUNCTION rensou.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint) RETURNS TABLE(record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer, trigrams double precision, context double precision, project_id text, channel text, session_id text, occurred_at timestamp with time zone, traits smallint, former bigint, source_name text, vector_plan text, readable_records bigint)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET enable_incremental_sort TO 'off'
    AS $$
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

ALTER FUNCTION rensou.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint) OWNER TO rensou_owner;

CREATE FUNCTION rensou.record_terms_count() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
DECLARE
  v_same boolean := false;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    v_same := OLD.words = NEW.words AND OLD.trigrams = NEW.trigrams;
    IF v_same AND OLD.project_id = NEW.project_id THEN
      RETURN NULL;
    END IF;
  END IF;
  IF TG_OP IN ('DELETE', 'UPDATE') THEN
    INSERT INTO term_deltas (agent_id, project_id, delta, slots)
    VALUES (OLD.agent_id, OLD.project_id, -1,
            CASE WHEN v_same THEN '{}' ELSE sparse_slots(OLD.words) || sparse_slots(OLD.trigrams) END);
  END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO term_deltas (agent_id, project_id, delta, slots)
    VALUES (NEW.agent_id, NEW.project_id, 1,
            CASE WHEN v_same THEN '{}' ELSE sparse_slots(NEW.words) || sparse_slots(NEW.trigrams) END);
  END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.record_terms_count() OWNER TO rensou_owner;

CREATE FUNCTION rensou.record_terms_stay_aside() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM records r WHERE r.agent_id = NEW.agent_id AND r.id = NEW.record_id AND r.retired_at IS NOT NULL
  ) THEN
    RETURN NEW;
  END IF;
  INSERT INTO retired_terms (agent_id, record_id, terms_version, hashes, words, trigrams, traits)
  VALUES (NEW.agent_id, NEW.record_id, NEW.terms_version, NEW.hashes, NEW.words, NEW.trigrams, NEW.traits)
  ON CONFLICT (agent_id, record_id) DO UPDATE
  SET terms_version = excluded.terms_version, hashes = excluded.hashes, words = excluded.words,
      trigrams = excluded.trigrams, traits = excluded.traits;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.record_terms_stay_aside() OWNER TO rensou_owner;

CREATE FUNCTION rensou.record_vectors_stay_aside() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM records r WHERE r.agent_id = NEW.agent_id AND r.id = NEW.record_id AND r.retired_at IS NOT NULL
  ) THEN
    RETURN NEW;
  END IF;
  INSERT INTO retired_vectors (agent_id, record_id, model_id, token_count, embedding)
  VALUES (NEW.agent_id, NEW.record_id, NEW.model_id, NEW.token_count, NEW.embedding)
  ON CONFLICT (agent_id, record_id, model_id) DO UPDATE
  SET token_count = excluded.token_count, embedding = excluded.embedding;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.record_vectors_stay_aside() OWNER TO rensou_owner;

CREATE FUNCTION rensou.record_vectors_take_lane() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM pg_current_xact_id();
  NEW.ann_lane := (
    SELECT a.lane
    FROM ann_agents a
    WHERE a.agent_id = NEW.agent_id AND a.model_id = NEW.model_id AND a.state <> 'leaving'
  );
  RETURN NEW;
END
$$;

ALTER FUNCTION rensou.record_vectors_take_lane() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_archive_derived() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO revision_terms (
    agent_id, record_id, revision, terms_version, hashes, words, trigrams, traits
  )
  SELECT t.agent_id, t.record_id, OLD.revision, t.terms_version, t.hashes, t.words, t.trigrams, t.traits
  FROM record_terms t
  WHERE t.agent_id = OLD.agent_id AND t.record_id = OLD.id
  UNION ALL
  SELECT t.agent_id, t.record_id, OLD.revision, t.terms_version, t.hashes, t.words, t.trigrams, t.traits
  FROM retired_terms t
  WHERE t.agent_id = OLD.agent_id AND t.record_id = OLD.id
  ON CONFLICT DO NOTHING;
  INSERT INTO revision_vectors (agent_id, record_id, revision, model_id, token_count, embedding)
  SELECT v.agent_id, v.record_id, OLD.revision, v.model_id, v.token_count, v.embedding
  FROM record_vectors v
  WHERE v.agent_id = OLD.agent_id AND v.record_id = OLD.id
  UNION ALL
  SELECT v.agent_id, v.record_id, OLD.revision, v.model_id, v.token_count, v.embedding
  FROM retired_vectors v
  WHERE v.agent_id = OLD.agent_id AND v.record_id = OLD.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_archive_derived() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_describe_content() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  NEW.content_sha256 := sha256(convert_to(NEW.content, 'UTF8'));
  NEW.content_chars := char_length(NEW.content);
  IF TG_OP = 'UPDATE' AND NEW.content <> OLD.content THEN
    NEW.revision := OLD.revision + 1;
    NEW.revised_at := clock_timestamp();
  END IF;
  RETURN NEW;
END
$$;

ALTER FUNCTION rensou.records_describe_content() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_drop_derived() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM record_nodes n WHERE n.agent_id = NEW.agent_id AND n.record_id = NEW.id;
  DELETE FROM record_vectors v WHERE v.agent_id = NEW.agent_id AND v.record_id = NEW.id;
  DELETE FROM record_terms t WHERE t.agent_id = NEW.agent_id AND t.record_id = NEW.id;
  DELETE FROM node_builds b
  WHERE b.agent_id = NEW.agent_id AND b.record_id = NEW.id AND b.content_sha256 <> NEW.content_sha256
    AND b.state IN ('pending', 'dead');
  INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version)
  VALUES (NEW.agent_id, NEW.id, NEW.content_sha256, 1)
  ON CONFLICT ON CONSTRAINT node_builds_once DO UPDATE
  SET state = 'pending', errors = 0, crashes = 0, next_at = clock_timestamp(), lease_token = NULL, lease_until = NULL,
      hinted_at = NULL, last_error = NULL, created_at = clock_timestamp(), finished_at = NULL;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_drop_derived() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_drop_retired() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM retired_vectors v WHERE v.agent_id = NEW.agent_id AND v.record_id = NEW.id;
  DELETE FROM retired_terms t WHERE t.agent_id = NEW.agent_id AND t.record_id = NEW.id;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_drop_retired() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_keep_former_text() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO record_revisions (agent_id, record_id, revision, content, content_sha256, current_from, current_to)
  VALUES (OLD.agent_id, OLD.id, OLD.revision, OLD.content, OLD.content_sha256,
          coalesce(OLD.revised_at, OLD.created_at), NEW.revised_at);
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_keep_former_text() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_lacking_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_after_agent text, p_after_record bigint, p_look integer) RETURNS TABLE(agent_id text, record_id bigint, reason text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  WITH looked AS MATERIALIZED (
    SELECT r.agent_id, r.id, r.content_sha256, r.content_chars, r.retired_at IS NOT NULL AS is_retired
    FROM records r
    WHERE (r.agent_id, r.id) > (p_after_agent COLLATE "C", p_after_record)
    ORDER BY r.agent_id, r.id
    LIMIT p_look
  ),
  judged AS MATERIALIZED (
    SELECT l.agent_id, l.id, l.content_sha256, row_number() OVER (ORDER BY l.agent_id DESC, l.id DESC) AS from_last,
           CASE
             WHEN l.is_retired THEN NULL
             WHEN t.record_id IS NULL THEN 'terms'
             WHEN v.record_id IS NULL THEN 'vector'
             WHEN v.token_count > p_token_window AND NOT EXISTS (
               SELECT FROM current_nodes_v1(
                 l.agent_id, l.id, l.content_chars, p_model_id, p_token_window, p_divider_version
               )
             ) THEN 'nodes'
           END AS lack
    FROM looked l
    LEFT JOIN record_terms t
      ON t.agent_id = l.agent_id AND t.record_id = l.id AND t.terms_version = p_terms_version
    LEFT JOIN record_vectors v
      ON v.agent_id = l.agent_id AND v.record_id = l.id AND v.model_id = p_model_id
  ),
  unasked AS MATERIALIZED (
    SELECT j.agent_id, j.id, j.from_last,
           CASE WHEN j.lack IS NOT NULL AND NOT EXISTS (
             SELECT FROM node_builds b
             WHERE b.agent_id = j.agent_id AND b.record_id = j.id AND b.content_sha256 = j.content_sha256
               AND (b.model_id = p_model_id OR b.model_id IS NULL)
               AND (b.state IN ('pending', 'running')
                    OR (b.state = 'dead' AND b.divider_version = p_divider_version
                        AND coalesce(b.token_window, p_token_window) IS NOT DISTINCT FROM p_token_window))
           ) THEN j.lack END AS reason
    FROM judged j
  )
  SELECT u.agent_id, u.id, u.reason
  FROM unasked u
  WHERE u.reason IS NOT NULL OR u.from_last = 1
$$;

ALTER FUNCTION rensou.records_lacking_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_after_agent text, p_after_record bigint, p_look integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_move_aside() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  WITH moved AS (
    DELETE FROM record_vectors v
    WHERE v.agent_id = NEW.agent_id AND v.record_id = NEW.id
    RETURNING v.model_id, v.token_count, v.embedding
  )
  INSERT INTO retired_vectors (agent_id, record_id, model_id, token_count, embedding)
  SELECT NEW.agent_id, NEW.id, m.model_id, m.token_count, m.embedding FROM moved m;
  WITH moved AS (
    DELETE FROM record_terms t
    WHERE t.agent_id = NEW.agent_id AND t.record_id = NEW.id
    RETURNING t.terms_version, t.hashes, t.words, t.trigrams, t.traits
  )
  INSERT INTO retired_terms (agent_id, record_id, terms_version, hashes, words, trigrams, traits)
  SELECT NEW.agent_id, NEW.id, m.terms_version, m.hashes, m.words, m.trigrams, m.traits FROM moved m;
  WITH moved AS (
    DELETE FROM record_caller_ids c
    WHERE c.agent_id = NEW.agent_id AND c.record_id = NEW.id
    RETURNING c.project_id, c.channel, c.caller_id, c.content_sha256
  )
  INSERT INTO retired_caller_ids (agent_id, record_id, project_id, channel, caller_id, content_sha256)
  SELECT NEW.agent_id, NEW.id, m.project_id, m.channel, m.caller_id, m.content_sha256 FROM moved m
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_move_aside() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_move_back() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  WITH moved AS (
    DELETE FROM retired_vectors v
    WHERE v.agent_id = NEW.agent_id AND v.record_id = NEW.id
    RETURNING v.model_id, v.token_count, v.embedding
  )
  INSERT INTO record_vectors (agent_id, record_id, model_id, project_id, channel, source_id, token_count, embedding)
  SELECT NEW.agent_id, NEW.id, m.model_id, NEW.project_id, NEW.channel, NEW.source_id, m.token_count, m.embedding
  FROM moved m;
  WITH moved AS (
    DELETE FROM retired_terms t
    WHERE t.agent_id = NEW.agent_id AND t.record_id = NEW.id
    RETURNING t.terms_version, t.hashes, t.words, t.trigrams, t.traits
  )
  INSERT INTO record_terms (
    agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words, trigrams, session_id,
    occurred_at, traits, source_name
  )
  SELECT NEW.agent_id, NEW.id, m.terms_version, NEW.project_id, NEW.channel, NEW.source_id, m.hashes, m.words,
         m.trigrams, NEW.session_id, coalesce(NEW.occurred_at, '-infinity'), m.traits, NEW.source_name
  FROM moved m;
  INSERT INTO record_caller_ids (agent_id, project_id, channel, caller_id, record_id, content_sha256)
  SELECT c.agent_id, c.project_id, c.channel, c.caller_id, c.record_id, c.content_sha256
  FROM retired_caller_ids c
  WHERE c.agent_id = NEW.agent_id AND c.record_id = NEW.id
  ON CONFLICT DO NOTHING;
  DELETE FROM retired_caller_ids c
  USING record_caller_ids h
  WHERE c.agent_id = NEW.agent_id AND c.record_id = NEW.id AND h.agent_id = c.agent_id AND h.record_id = c.record_id
    AND h.project_id = c.project_id AND h.channel = c.channel AND h.caller_id = c.caller_id;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_move_back() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_move_copies() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  UPDATE record_vectors v SET project_id = NEW.project_id, channel = NEW.channel, source_id = NEW.source_id
  WHERE v.agent_id = NEW.agent_id AND v.record_id = NEW.id;
  UPDATE record_terms t
  SET project_id = NEW.project_id, channel = NEW.channel, source_id = NEW.source_id, session_id = NEW.session_id,
      occurred_at = coalesce(NEW.occurred_at, '-infinity'), source_name = NEW.source_name
  WHERE t.agent_id = NEW.agent_id AND t.record_id = NEW.id;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_move_copies() OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_to_rebuild_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_after_agent text, p_after_record bigint, p_limit integer) RETURNS TABLE(agent_id text, record_id bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_sort TO 'off'
    AS $$
  SELECT l.agent_id, l.record_id
  FROM lacking_under_v1(p_model_id, p_token_window, p_divider_version) l
  WHERE (l.agent_id, l.record_id) > (p_after_agent COLLATE "C", p_after_record)
    AND NOT EXISTS (
      SELECT FROM node_builds b
      WHERE b.agent_id = l.agent_id AND b.record_id = l.record_id AND b.content_sha256 = l.content_sha256
        AND b.model_id = p_model_id
        AND (b.state IN ('pending', 'running')
             OR (b.state = 'dead' AND b.divider_version = p_divider_version
                 AND b.token_window IS NOT DISTINCT FROM p_token_window))
    )
  ORDER BY l.agent_id, l.record_id
  LIMIT p_limit
$$;

ALTER FUNCTION rensou.records_to_rebuild_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_after_agent text, p_after_record bigint, p_limit integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.register_building_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) RETURNS TABLE(state text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('rensou.embedding_models', 0));
  IF NOT EXISTS (SELECT FROM embedding_models m WHERE m.state = 'active') THEN
    RETURN;
  END IF;
  UPDATE embedding_models m SET state = 'retired' WHERE m.state = 'building' AND m.fingerprint <> p_fingerprint;
  RETURN QUERY
    INSERT INTO embedding_models AS m (fingerprint, name, dimensions, token_window, state, served_at)
    VALUES (p_fingerprint, p_name, p_dimensions, p_token_window, 'building', clock_timestamp())
    ON CONFLICT (fingerprint) DO UPDATE
    SET served_at = clock_timestamp(), state = CASE WHEN m.state = 'active' THEN 'active' ELSE 'building' END
    RETURNING m.state;
END
$$;

ALTER FUNCTION rensou.register_building_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.register_embedding_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) RETURNS TABLE(id integer, fingerprint text, name text, dimensions integer, token_window integer)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO embedding_models AS m (fingerprint, name, dimensions, token_window, state)
  VALUES (p_fingerprint, p_name, p_dimensions, p_token_window, 'active')
  ON CONFLICT DO NOTHING;
  RETURN QUERY
    SELECT m.id, m.fingerprint, m.name, m.dimensions, m.token_window FROM embedding_models m WHERE m.state = 'active';
END
$$;

ALTER FUNCTION rensou.register_embedding_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.relations_keep_edges() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- Lower number first, so that two writers of one pair lock its rows in the same order.
    INSERT INTO entity_edges AS e (agent_id, project_id, channel, from_entity, to_entity, relation_id, declared_at)
    SELECT NEW.agent_id, NEW.project_id, NEW.channel, x.a, x.b, NEW.id, NEW.declared_at
    FROM (VALUES (NEW.subject_entity, NEW.object_entity), (NEW.object_entity, NEW.subject_entity)) AS x (a, b)
    ORDER BY x.a
    ON CONFLICT (agent_id, from_entity, to_entity, project_id, channel) DO UPDATE
    SET relation_id = excluded.relation_id, declared_at = excluded.declared_at
    WHERE (excluded.declared_at, -excluded.relation_id) > (e.declared_at, -e.relation_id);
    RETURN NULL;
  END IF;
  -- Each edge by its whole key, the lower entity first: one condition for both would read all edges of the agent.
  PERFORM FROM entity_edges e
  WHERE e.agent_id = OLD.agent_id AND e.project_id = OLD.project_id AND e.channel = OLD.channel
    AND e.from_entity = least(OLD.subject_entity, OLD.object_entity)
    AND e.to_entity = greatest(OLD.subject_entity, OLD.object_entity)
  FOR UPDATE;
  PERFORM FROM entity_edges e
  WHERE e.agent_id = OLD.agent_id AND e.project_id = OLD.project_id AND e.channel = OLD.channel
    AND e.from_entity = greatest(OLD.subject_entity, OLD.object_entity)
    AND e.to_entity = least(OLD.subject_entity, OLD.object_entity)
  FOR UPDATE;
  DELETE FROM entity_edges e
  WHERE e.agent_id = OLD.agent_id AND e.project_id = OLD.project_id AND e.channel = OLD.channel
    AND e.from_entity = OLD.subject_entity AND e.to_entity = OLD.object_entity AND e.relation_id = OLD.id;
  DELETE FROM entity_edges e
  WHERE e.agent_id = OLD.agent_id AND e.project_id = OLD.project_id AND e.channel = OLD.channel
    AND e.from_entity = OLD.object_entity AND e.to_entity = OLD.subject_entity AND e.relation_id = OLD.id;
  INSERT INTO entity_edges (agent_id, project_id, channel, from_entity, to_entity, relation_id, declared_at)
  SELECT n.agent_id, n.project_id, n.channel, x.a, x.b, n.id, n.declared_at
  FROM (
    SELECT b.*
    FROM (
      SELECT r.*
      FROM relations r
      WHERE r.agent_id = OLD.agent_id AND r.project_id = OLD.project_id AND r.channel = OLD.channel
        AND r.subject_entity = OLD.subject_entity AND r.object_entity = OLD.object_entity
      UNION ALL
      SELECT r.*
      FROM relations r
      WHERE r.agent_id = OLD.agent_id AND r.project_id = OLD.project_id AND r.channel = OLD.channel
        AND r.subject_entity = OLD.object_entity AND r.object_entity = OLD.subject_entity
    ) b
    ORDER BY b.declared_at DESC, b.id
    LIMIT 1
  ) n
  -- An entity that is being deleted takes its relations with it; no edge may be written back to it.
  JOIN entities s ON s.agent_id = n.agent_id AND s.id = n.subject_entity
  JOIN entities o ON o.agent_id = n.agent_id AND o.id = n.object_entity
  CROSS JOIN LATERAL (VALUES (n.subject_entity, n.object_entity), (n.object_entity, n.subject_entity)) AS x (a, b)
  ORDER BY x.a
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.relations_keep_edges() OWNER TO rensou_owner;

CREATE FUNCTION rensou.relations_keep_history() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  IF EXISTS (
    SELECT
    FROM unnest(ARRAY[OLD.subject_record, OLD.object_record, OLD.anchor_record]) AS x (id)
    WHERE x.id IS NOT NULL
      AND NOT EXISTS (SELECT FROM records r WHERE r.agent_id = OLD.agent_id AND r.id = x.id)
  ) THEN
    RETURN OLD;
  END IF;
  -- No number is used again, unless by hand: then the last one counts.
  DELETE FROM relation_history h WHERE h.agent_id = OLD.agent_id AND h.id = OLD.id;
  INSERT INTO relation_history (
    agent_id, id, project_id, channel, subject_entity, subject_record, predicate, normalized_predicate, object_entity,
    object_record, anchor_record, declared_by, declared_at, retracted_at
  )
  VALUES (
    OLD.agent_id, OLD.id, OLD.project_id, OLD.channel, OLD.subject_entity, OLD.subject_record, OLD.predicate,
    OLD.normalized_predicate, OLD.object_entity, OLD.object_record, OLD.anchor_record, OLD.declared_by,
    OLD.declared_at, statement_timestamp()
  );
  INSERT INTO validity_history (
    agent_id, id, relation_id, valid_from, valid_to, asserted_by, recorded_at, superseded_at
  )
  SELECT v.agent_id, v.id, v.relation_id, v.valid_from, v.valid_to, v.asserted_by, v.recorded_at, v.superseded_at
  FROM validity_assertions v
  WHERE v.agent_id = OLD.agent_id AND v.relation_id = OLD.id;
  RETURN OLD;
END
$$;

ALTER FUNCTION rensou.relations_keep_history() OWNER TO rensou_owner;

CREATE FUNCTION rensou.retry_builds_v1(p_agents text[], p_first_agent text, p_last_agent text, p_ids bigint[], p_limit integer) RETURNS TABLE(agent_id text, id bigint, kind text, record_id bigint, rebuild boolean, outcome text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  WITH dead AS MATERIALIZED (
    SELECT b.agent_id, b.id, b.record_id, b.content_sha256, b.model_id, b.state, b.rebuild
    FROM node_builds b
    WHERE p_ids IS NULL
      AND b.state IN ('pending', 'running', 'dead')
      AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'dead'
      AND b.agent_id || '' >= p_first_agent AND b.agent_id || '' <= p_last_agent
      AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
    ORDER BY b.agent_id || '', b.id
    LIMIT p_limit
    FOR UPDATE
  ),
  named AS MATERIALIZED (
    SELECT b.agent_id, b.id, b.record_id, b.content_sha256, b.model_id, b.state, b.rebuild
    FROM node_builds b
    WHERE b.id = ANY (p_ids)
      AND b.state IN ('pending', 'running', 'dead')
      AND b.agent_id || '' >= p_first_agent AND b.agent_id || '' <= p_last_agent
      AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
    ORDER BY b.agent_id || '', b.id
    LIMIT p_limit
    FOR UPDATE
  ),
  judged AS MATERIALIZED (
    SELECT c.agent_id, c.id, r.kind, c.record_id, c.rebuild,
           CASE
             WHEN c.state <> 'dead' THEN 'not_dead'
             WHEN r.content_sha256 <> c.content_sha256 OR coalesce(m.state = 'retired', false) THEN 'superseded'
             ELSE 'queued'
           END AS outcome
    FROM (SELECT d.* FROM dead d UNION ALL SELECT n.* FROM named n) c
    JOIN records r ON r.agent_id = c.agent_id AND r.id = c.record_id
    LEFT JOIN embedding_models m ON m.id = c.model_id
  ),
  changed AS (
    UPDATE node_builds AS b
    SET state = CASE j.outcome WHEN 'queued' THEN 'pending' ELSE 'superseded' END,
        errors = 0,
        crashes = 0,
        next_at = clock_timestamp(),
        hinted_at = NULL,
        last_error = NULL,
        created_at = CASE j.outcome WHEN 'queued' THEN clock_timestamp() ELSE b.created_at END,
        finished_at = CASE j.outcome WHEN 'superseded' THEN clock_timestamp() END
    FROM judged j
    WHERE b.agent_id = j.agent_id AND b.id = j.id AND j.outcome <> 'not_dead'
  )
  SELECT j.agent_id, j.id, j.kind, j.record_id, j.rebuild, j.outcome
  FROM judged j
  ORDER BY j.agent_id, j.id
$$;

ALTER FUNCTION rensou.retry_builds_v1(p_agents text[], p_first_agent text, p_last_agent text, p_ids bigint[], p_limit integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.slot_weights_v1(p_slots integer[]) RETURNS TABLE(slot integer, records bigint, idf real)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_bitmapscan TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
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

ALTER FUNCTION rensou.slot_weights_v1(p_slots integer[]) OWNER TO rensou_owner;

CREATE FUNCTION rensou.sparse_slots(p_vector public.sparsevec) RETURNS integer[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'public'
    AS $$
  SELECT coalesce(array_agg(split_part(x.pair, ':', 1)::integer), '{}')
  FROM unnest(string_to_array(nullif(btrim(split_part(p_vector::text, '/', 1), '{}'), ''), ',')) AS x (pair)
$$;

ALTER FUNCTION rensou.sparse_slots(p_vector public.sparsevec) OWNER TO rensou_owner;

CREATE FUNCTION rensou.term_slot(p_hash bigint) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((((p_hash % (999999937)::bigint) + 999999937) % (999999937)::bigint) + 1))::integer;

ALTER FUNCTION rensou.term_slot(p_hash bigint) OWNER TO rensou_owner;

CREATE FUNCTION rensou.trim_recall_logs_v1(p_after text, p_agents integer, p_keep_s double precision, p_keep_rows integer, p_rows integer) RETURNS TABLE(last_agent text, trimmed bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
DECLARE
  v_agent text := p_after;
  v_edge timestamptz;
  v_taken bigint;
BEGIN
  last_agent := NULL;
  trimmed := 0;
  FOR i IN 1..p_agents LOOP
    SELECT l.agent_id INTO v_agent FROM recall_log l
    WHERE l.agent_id > v_agent COLLATE "C" ORDER BY l.agent_id LIMIT 1;
    EXIT WHEN v_agent IS NULL;
    last_agent := v_agent;
    SELECT l.at INTO v_edge FROM recall_log l WHERE l.agent_id = v_agent ORDER BY l.at DESC OFFSET p_keep_rows LIMIT 1;
    v_edge := greatest(v_edge, clock_timestamp() - make_interval(secs => p_keep_s));
    -- Apart from the DELETE, which would otherwise look again for each row, and find others.
    WITH old AS MATERIALIZED (
      SELECT l.recall_id FROM recall_log l
      WHERE l.agent_id = v_agent AND l.at <= v_edge ORDER BY l.at LIMIT p_rows FOR UPDATE SKIP LOCKED
    )
    DELETE FROM recall_log d USING old o WHERE d.agent_id = v_agent AND d.recall_id = o.recall_id;
    GET DIAGNOSTICS v_taken = ROW_COUNT;
    trimmed := trimmed + v_taken;
  END LOOP;
  RETURN NEXT;
END
$$;

ALTER FUNCTION rensou.trim_recall_logs_v1(p_after text, p_agents integer, p_keep_s double precision, p_keep_rows integer, p_rows integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.vector_plan_v1(p_records bigint, p_ann_above bigint, p_ready boolean) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN COALESCE((p_ready AND (p_records > p_ann_above)), false) THEN 'ann'::text ELSE 'exact'::text END;

ALTER FUNCTION rensou.vector_plan_v1(p_records bigint, p_ann_above bigint, p_ready boolean) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.ann_lane_v1(p_model_id integer) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN NULL::smallint;

ALTER FUNCTION rensou_known.ann_lane_v1(p_model_id integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.arm_cue_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_start timestamp with time zone, p_end timestamp with time zone, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer) RETURNS TABLE(held integer, record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou_known', 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
  WITH period AS MATERIALIZED (
    SELECT u.id, row_number() OVER (ORDER BY u.happened_at DESC, u.id DESC) AS nth
    FROM (
      (
        SELECT h.id, h.happened_at
        FROM records h
        WHERE h.agent_id = current_setting('rensou.agent_id', true)
          AND h.happened_at >= p_start
          AND h.happened_at < p_end
          AND h.retired_at IS NULL
          AND (p_project IS NULL OR h.project_id = p_project OR h.project_id = '')
          AND (p_channel = '' OR h.channel = p_channel OR h.channel = '')
          AND (p_source = '' OR h.source_id = p_source OR (p_source_prefix AND starts_with(h.source_id, p_source)))
        ORDER BY h.happened_at DESC, h.id DESC
        LIMIT p_newest + 1
      )
      UNION
      (
        SELECT k.id, k.happened_at
        FROM validity_assertions v
        CROSS JOIN LATERAL (
          SELECT n.id, n.happened_at, n.project_id, n.channel, n.source_id
          FROM records n
          WHERE n.agent_id = current_setting('rensou.agent_id', true)
            AND n.id = v.record_id
            AND n.retired_at IS NULL
          OFFSET 0
        ) k
        WHERE v.agent_id = current_setting('rensou.agent_id', true)
          AND v.superseded_at IS NULL
          AND v.record_id IS NOT NULL
          AND coalesce(v.valid_from < p_end, true)
          AND coalesce(v.valid_to > p_start, true)
          AND (p_project IS NULL OR k.project_id = p_project OR k.project_id = '')
          AND (p_channel = '' OR k.channel = p_channel OR k.channel = '')
          AND (p_source = '' OR k.source_id = p_source OR (p_source_prefix AND starts_with(k.source_id, p_source)))
        ORDER BY k.happened_at DESC, k.id DESC
        LIMIT p_newest + 1
      )
    ) u
    ORDER BY u.happened_at DESC, u.id DESC
    LIMIT p_newest + 1
  ),
  query AS MATERIALIZED (
    SELECT coalesce(('{' || string_agg(w.slot || ':' || w.idf, ',') || '}/999999937')::sparsevec, '{}/999999937') AS words
    FROM slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h))) w
  ),
  scored AS MATERIALIZED (
    SELECT p.id,
           (SELECT -(v.embedding <#> p_query)
            FROM record_vectors v
            WHERE v.agent_id = current_setting('rensou.agent_id', true)
              AND v.record_id = p.id
              AND v.model_id = p_model_id
              AND p_query IS NOT NULL) AS cosine,
           coalesce((
             SELECT -(t.words <#> q.words)
             FROM record_terms t
             WHERE t.agent_id = current_setting('rensou.agent_id', true)
               AND t.record_id = p.id
           ), 0) AS bm25
    FROM period p
    CROSS JOIN query q
    WHERE p.nth <= p_newest
  ),
  ranked AS MATERIALIZED (
    SELECT s.id, s.cosine, s.bm25,
           CASE WHEN s.cosine IS NOT NULL THEN row_number() OVER (ORDER BY s.cosine DESC NULLS LAST, s.id) END AS vector_rank,
           CASE WHEN s.bm25 > 0 THEN row_number() OVER (ORDER BY s.bm25 DESC, s.id) END AS lexical_rank
    FROM scored s
  )
  SELECT h.held, x.id, x.cosine,
         CASE WHEN x.vector_rank <= p_depth THEN x.vector_rank END::integer,
         x.bm25,
         CASE WHEN x.lexical_rank <= p_depth THEN x.lexical_rank END::integer
  FROM (SELECT count(*)::integer AS held FROM period) h
  LEFT JOIN ranked x ON x.vector_rank <= p_depth OR x.lexical_rank <= p_depth
$$;

ALTER FUNCTION rensou_known.arm_cue_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_start timestamp with time zone, p_end timestamp with time zone, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.arm_exact_v1(p_query public.halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) RETURNS TABLE(record_id bigint, cosine double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou_known', 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    SET random_page_cost TO '0.5'
    AS $$
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

ALTER FUNCTION rensou_known.arm_exact_v1(p_query public.halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.arm_lexical_v1(p_weights public.sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) RETURNS TABLE(record_id bigint, bm25 double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou_known', 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
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

ALTER FUNCTION rensou_known.arm_lexical_v1(p_weights public.sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.arm_retired_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_most integer) RETURNS TABLE(held bigint, record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer, trigrams double precision, share double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou_known', 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
  WITH retired AS MATERIALIZED (
    SELECT r.id, row_number() OVER (ORDER BY r.id DESC) AS nth
    FROM records r
    WHERE r.agent_id = current_setting('rensou.agent_id', true)
      AND r.retired_at IS NOT NULL
      AND (p_project IS NULL OR r.project_id = p_project OR r.project_id = '')
      AND (p_channel = '' OR r.channel = p_channel OR r.channel = '')
      AND (p_source = '' OR r.source_id = p_source OR (p_source_prefix AND starts_with(r.source_id, p_source)))
  ),
  weights AS MATERIALIZED (
    SELECT w.slot, w.idf
    FROM slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h)) || p_trigrams) w
  ),
  words AS MATERIALIZED (
    SELECT u.h, w.slot, w.idf FROM unnest(p_words) AS u (h) JOIN weights w ON w.slot = term_slot(u.h)
  ),
  query AS MATERIALIZED (
    SELECT
      coalesce((SELECT ('{' || string_agg(x.slot || ':' || x.idf, ',') || '}/999999937')::sparsevec
                FROM (SELECT DISTINCT w.slot, w.idf FROM words w) x), '{}/999999937') AS words,
      coalesce((SELECT ('{' || string_agg(w.slot || ':' || w.idf, ',') || '}/999999937')::sparsevec
                FROM weights w WHERE w.slot = ANY (p_trigrams)), '{}/999999937') AS trigrams,
      (SELECT sum(w.idf::double precision ORDER BY w.h) FROM words w) AS idf
  ),
  scored AS MATERIALIZED (
    SELECT h.id,
           (SELECT -(v.embedding <#> p_query)
            FROM retired_vectors v
            WHERE v.agent_id = current_setting('rensou.agent_id', true)
              AND v.record_id = h.id
              AND v.model_id = p_model_id
              AND p_query IS NOT NULL) AS cosine,
           coalesce(t.bm25, 0) AS bm25, coalesce(t.trigrams, 0) AS trigrams, coalesce(t.share, 0) AS share
    FROM retired h
    CROSS JOIN query q
    LEFT JOIN LATERAL (
      SELECT -(r.words <#> q.words) AS bm25, -(r.trigrams <#> q.trigrams) AS trigrams,
             (SELECT sum(w.idf::double precision ORDER BY w.h) FROM words w WHERE w.h = ANY (r.hashes))
               / nullif(q.idf, 0) AS share
      FROM retired_terms r
      WHERE r.agent_id = current_setting('rensou.agent_id', true) AND r.record_id = h.id
      OFFSET 0
    ) t ON true
    WHERE h.nth <= p_most
  ),
  ranked AS MATERIALIZED (
    SELECT s.id, s.cosine, s.bm25, s.trigrams, s.share,
           CASE WHEN s.cosine IS NOT NULL THEN row_number() OVER (ORDER BY s.cosine DESC NULLS LAST, s.id) END
             AS vector_rank,
           CASE WHEN s.bm25 > 0 THEN row_number() OVER (ORDER BY s.bm25 DESC, s.id) END AS lexical_rank
    FROM scored s
  )
  SELECT c.held, x.id, x.cosine,
         CASE WHEN x.vector_rank <= p_depth THEN x.vector_rank END::integer,
         x.bm25,
         CASE WHEN x.lexical_rank <= p_depth THEN x.lexical_rank END::integer,
         x.trigrams, x.share
  FROM (SELECT count(*) AS held FROM retired) c
  LEFT JOIN ranked x ON x.vector_rank <= p_depth OR x.lexical_rank <= p_depth
$$;

ALTER FUNCTION rensou_known.arm_retired_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_most integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) RETURNS TABLE(nodes bigint)
    LANGUAGE sql STABLE
    AS $$
  SELECT count(*)
  FROM (
    SELECT n.end_char, n.token_window, n.divider_version,
           n.start_char = lag(n.end_char, 1, 0) OVER (ORDER BY n.node_index) AS follows
    FROM rensou_known.record_nodes n
    WHERE n.agent_id = p_agent_id AND n.record_id = p_record_id AND n.model_id = p_model_id
  ) s
  HAVING bool_and(
           s.follows AND s.divider_version = p_divider_version
           AND (p_token_window IS NULL OR s.token_window = p_token_window)
         )
    AND max(s.end_char) = p_chars
$$;

ALTER FUNCTION rensou_known.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.gate_words_v1(p_words bigint[], p_records bigint[]) RETURNS TABLE(record_id bigint, share double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou_known', 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
  WITH words AS MATERIALIZED (
    SELECT u.h, w.idf::double precision AS idf
    FROM unnest(p_words) AS u (h)
    JOIN slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h))) w ON w.slot = term_slot(u.h)
  ),
  total AS MATERIALIZED (
    SELECT sum(w.idf ORDER BY w.h) AS idf FROM words w
  )
  SELECT t.record_id,
         coalesce((SELECT sum(w.idf ORDER BY w.h) FROM words w WHERE w.h = ANY (t.hashes)), 0) / n.idf
  FROM record_terms t
  CROSS JOIN total n
  WHERE t.agent_id = current_setting('rensou.agent_id', true)
    AND t.record_id = ANY (p_records)
    AND n.idf > 0
$$;

ALTER FUNCTION rensou_known.gate_words_v1(p_words bigint[], p_records bigint[]) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.moment() RETURNS timestamp with time zone
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('rensou.known_at'::text, true), ''::text))::timestamp with time zone;

ALTER FUNCTION rensou_known.moment() OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer) RETURNS TABLE(entity_id bigint, normalized text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT a.entity_id, a.normalized
  FROM rensou_known.entity_aliases a
  WHERE a.agent_id = current_setting('rensou.agent_id', true)
    AND strpos(p_question, a.normalized) > 0
    AND (p_project IS NULL OR a.project_id = p_project OR a.project_id = '')
    AND (p_channel = '' OR a.channel = p_channel OR a.channel = '')
  ORDER BY length(a.normalized) DESC, a.normalized, a.entity_id
  LIMIT p_keep
$$;

ALTER FUNCTION rensou_known.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou_known.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint) RETURNS TABLE(record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer, trigrams double precision, context double precision, project_id text, channel text, session_id text, occurred_at timestamp with time zone, traits smallint, former bigint, source_name text, vector_plan text, readable_records bigint)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou_known', 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
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

ALTER FUNCTION rensou_known.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint) OWNER TO rensou_owner;

CREATE TABLE rensou.alias_history (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    entity_id bigint NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    normalized text NOT NULL COLLATE pg_catalog."C",
    alias text NOT NULL,
    is_name boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone NOT NULL
);

ALTER TABLE rensou.alias_history OWNER TO rensou_owner;

CREATE TABLE rensou.ann_agents (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    model_id integer NOT NULL,
    lane smallint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    since_xid xid8,
    CONSTRAINT ann_agents_lane_check CHECK ((lane >= 0)),
    CONSTRAINT ann_agents_state_check CHECK ((state = ANY (ARRAY['flagging'::text, 'ready'::text, 'leaving'::text])))
);

ALTER TABLE rensou.ann_agents OWNER TO rensou_owner;

CREATE SEQUENCE rensou.build_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.build_ids OWNER TO rensou_owner;

CREATE TABLE rensou.embedding_models (
    id integer NOT NULL,
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    dimensions integer NOT NULL,
    token_window integer,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    served_at timestamp with time zone,
    CONSTRAINT embedding_models_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 4000))),
    CONSTRAINT embedding_models_state_check CHECK ((state = ANY (ARRAY['building'::text, 'active'::text, 'retired'::text]))),
    CONSTRAINT embedding_models_token_window_check CHECK ((token_window > 0))
);

ALTER TABLE rensou.embedding_models OWNER TO rensou_owner;

COMMENT ON COLUMN rensou.embedding_models.served_at IS 'when a worker last met a server of the model that is built';

ALTER TABLE rensou.embedding_models ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rensou.embedding_models_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE rensou.entity_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.entity_ids OWNER TO rensou_owner;

CREATE TABLE rensou.entities (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.entity_ids'::regclass) NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    declared_by text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT entities_agent_id_check CHECK ((agent_id <> ''::text)),
    CONSTRAINT entities_declared_by_check CHECK ((declared_by = ANY (ARRAY['agent'::text, 'operator'::text])))
);

ALTER TABLE rensou.entities OWNER TO rensou_owner;

CREATE TABLE rensou.entity_aliases (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    normalized text NOT NULL COLLATE pg_catalog."C",
    entity_id bigint NOT NULL,
    alias text NOT NULL,
    is_name boolean NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT entity_aliases_normalized_check CHECK ((normalized <> ''::text))
);

ALTER TABLE rensou.entity_aliases OWNER TO rensou_owner;

CREATE TABLE rensou.entity_edges (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    from_entity bigint NOT NULL,
    to_entity bigint NOT NULL,
    relation_id bigint NOT NULL,
    declared_at timestamp with time zone NOT NULL
);

ALTER TABLE rensou.entity_edges OWNER TO rensou_owner;

CREATE TABLE rensou.entity_history (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    declared_by text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone NOT NULL
);

ALTER TABLE rensou.entity_history OWNER TO rensou_owner;

CREATE TABLE rensou.entity_mentions (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    entity_id bigint NOT NULL,
    record_id bigint NOT NULL,
    declared_by text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT entity_mentions_declared_by_check CHECK ((declared_by = ANY (ARRAY['agent'::text, 'operator'::text])))
);

ALTER TABLE rensou.entity_mentions OWNER TO rensou_owner;

CREATE SEQUENCE rensou.former_certainty_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.former_certainty_ids OWNER TO rensou_owner;

CREATE TABLE rensou.former_certainties (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.former_certainty_ids'::regclass) NOT NULL,
    relation_id bigint NOT NULL,
    certainty text COLLATE pg_catalog."C",
    superseded_at timestamp with time zone NOT NULL,
    CONSTRAINT former_certainties_certainty_check CHECK ((certainty = ANY (ARRAY['sure'::text, 'likely'::text, 'vague'::text])))
);

ALTER TABLE rensou.former_certainties OWNER TO rensou_owner;

CREATE SEQUENCE rensou.mention_history_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.mention_history_ids OWNER TO rensou_owner;

CREATE TABLE rensou.mention_history (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.mention_history_ids'::regclass) NOT NULL,
    entity_id bigint NOT NULL,
    record_id bigint NOT NULL,
    declared_by text NOT NULL COLLATE pg_catalog."C",
    declared_at timestamp with time zone NOT NULL,
    retracted_at timestamp with time zone NOT NULL
);

ALTER TABLE rensou.mention_history OWNER TO rensou_owner;

CREATE TABLE rensou.node_builds (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.build_ids'::regclass) NOT NULL,
    record_id bigint NOT NULL,
    content_sha256 bytea NOT NULL,
    model_id integer,
    token_window integer,
    divider_version smallint NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL COLLATE pg_catalog."C",
    errors integer DEFAULT 0 NOT NULL,
    crashes integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    hinted_at timestamp with time zone,
    lease_token uuid,
    lease_until timestamp with time zone,
    last_error text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    finished_at timestamp with time zone,
    rebuild boolean DEFAULT false NOT NULL,
    CONSTRAINT node_builds_check CHECK (((state = 'running'::text) = ((lease_token IS NOT NULL) AND (lease_until IS NOT NULL)))),
    CONSTRAINT node_builds_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text, 'superseded'::text, 'dead'::text])))
);

ALTER TABLE rensou.node_builds OWNER TO rensou_owner;

CREATE TABLE rensou.recall_log (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    recall_id text NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    method text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    degraded boolean NOT NULL,
    vector_ids bigint[] NOT NULL,
    lexical_ids bigint[] NOT NULL,
    other_ids bigint[] NOT NULL,
    refused_ids bigint[] NOT NULL,
    returned_ids bigint[] NOT NULL,
    CONSTRAINT recall_log_method_check CHECK ((method = ANY (ARRAY['recall'::text, 'reconstruct'::text]))),
    CONSTRAINT recall_log_recall_id_check CHECK ((recall_id ~ '^[0-9a-f]{32}$'::text))
);

ALTER TABLE rensou.recall_log OWNER TO rensou_owner;

CREATE TABLE rensou.record_caller_ids (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    caller_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    content_sha256 bytea NOT NULL,
    CONSTRAINT record_caller_ids_caller_id_check CHECK (((caller_id <> ''::text) AND (octet_length(caller_id) <= 256)))
);

ALTER TABLE rensou.record_caller_ids OWNER TO rensou_owner;

CREATE SEQUENCE rensou.record_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.record_ids OWNER TO rensou_owner;

CREATE TABLE rensou.record_nodes (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    node_index integer NOT NULL,
    start_char integer NOT NULL,
    end_char integer NOT NULL,
    token_count integer NOT NULL,
    token_window integer NOT NULL,
    model_id integer NOT NULL,
    divider_version smallint NOT NULL,
    embedding public.halfvec NOT NULL,
    dimensions integer GENERATED ALWAYS AS (public.vector_dims(embedding)) STORED,
    CONSTRAINT record_nodes_check CHECK ((end_char > start_char)),
    CONSTRAINT record_nodes_check1 CHECK ((token_count <= token_window)),
    CONSTRAINT record_nodes_embedding_check CHECK ((abs((public.l2_norm(embedding) - (1)::double precision)) < (0.01)::double precision)),
    CONSTRAINT record_nodes_node_index_check CHECK ((node_index >= 0)),
    CONSTRAINT record_nodes_start_char_check CHECK ((start_char >= 0))
);

ALTER TABLE rensou.record_nodes OWNER TO rensou_owner;

CREATE SEQUENCE rensou.retirement_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.retirement_ids OWNER TO rensou_owner;

CREATE TABLE rensou.record_retirements (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.retirement_ids'::regclass) NOT NULL,
    record_id bigint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    policy text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    retired_by text NOT NULL COLLATE pg_catalog."C",
    retired_at timestamp with time zone NOT NULL,
    restored_by text COLLATE pg_catalog."C",
    restored_at timestamp with time zone,
    CONSTRAINT record_retirements_check CHECK (((restored_by IS NULL) = (restored_at IS NULL))),
    CONSTRAINT record_retirements_policy_check CHECK ((octet_length(policy) <= 128)),
    CONSTRAINT record_retirements_reason_check CHECK ((octet_length(reason) <= 256)),
    CONSTRAINT record_retirements_restored_by_check CHECK ((restored_by = ANY (ARRAY['agent'::text, 'operator'::text]))),
    CONSTRAINT record_retirements_retired_by_check CHECK ((retired_by = ANY (ARRAY['agent'::text, 'operator'::text])))
);

ALTER TABLE rensou.record_retirements OWNER TO rensou_owner;

CREATE TABLE rensou.record_revisions (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    revision integer NOT NULL,
    content text NOT NULL,
    content_sha256 bytea NOT NULL,
    current_from timestamp with time zone NOT NULL,
    current_to timestamp with time zone NOT NULL
);

ALTER TABLE rensou.record_revisions OWNER TO rensou_owner;

CREATE TABLE rensou.record_terms (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    terms_version smallint NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    hashes bigint[] NOT NULL,
    words public.sparsevec(999999937) NOT NULL,
    trigrams public.sparsevec(999999937) NOT NULL,
    session_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    occurred_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    traits smallint DEFAULT 0 NOT NULL,
    source_name text DEFAULT ''::text NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY rensou.record_terms ALTER COLUMN hashes SET STORAGE MAIN;
ALTER TABLE ONLY rensou.record_terms ALTER COLUMN words SET STORAGE MAIN;
ALTER TABLE ONLY rensou.record_terms ALTER COLUMN trigrams SET STORAGE MAIN;

ALTER TABLE rensou.record_terms OWNER TO rensou_owner;

CREATE TABLE rensou.record_vectors (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    model_id integer NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    token_count integer,
    embedding public.halfvec NOT NULL,
    dimensions integer GENERATED ALWAYS AS (public.vector_dims(embedding)) STORED,
    covered boolean GENERATED ALWAYS AS ((public.vector_dims(embedding) <= 1024)) STORED,
    ann_lane smallint,
    CONSTRAINT record_vectors_ann_lane_check CHECK ((ann_lane >= 0)),
    CONSTRAINT record_vectors_embedding_check CHECK ((abs((public.l2_norm(embedding) - (1)::double precision)) < (0.01)::double precision))
);
ALTER TABLE ONLY rensou.record_vectors ALTER COLUMN embedding SET STORAGE PLAIN;

ALTER TABLE rensou.record_vectors OWNER TO rensou_owner;

CREATE TABLE rensou.records (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.record_ids'::regclass) NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    project_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    channel text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    content text NOT NULL,
    content_sha256 bytea NOT NULL,
    content_chars integer NOT NULL,
    source_type text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    source_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    source_name text DEFAULT ''::text NOT NULL,
    session_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    occurred_at timestamp with time zone,
    ended_at timestamp with time zone,
    metadata jsonb,
    locked boolean DEFAULT false NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    revised_at timestamp with time zone,
    retired_at timestamp with time zone,
    happened_at timestamp with time zone GENERATED ALWAYS AS (COALESCE(occurred_at, created_at)) STORED NOT NULL,
    certainty text COLLATE pg_catalog."C",
    CONSTRAINT records_agent_id_check CHECK (((agent_id <> ''::text) AND (octet_length(agent_id) <= 128))),
    CONSTRAINT records_certainty_check CHECK ((certainty = ANY (ARRAY['sure'::text, 'likely'::text, 'vague'::text]))),
    CONSTRAINT records_channel_check CHECK ((octet_length(channel) <= 128)),
    CONSTRAINT records_content_check CHECK ((content <> ''::text)),
    CONSTRAINT records_episode_has_interval CHECK ((((kind = 'mem'::text) AND (ended_at IS NULL)) OR ((kind = 'ep'::text) AND (occurred_at IS NOT NULL) AND (ended_at IS NOT NULL) AND (occurred_at <= ended_at)))),
    CONSTRAINT records_kind_check CHECK ((kind = ANY (ARRAY['mem'::text, 'ep'::text]))),
    CONSTRAINT records_project_id_check CHECK ((octet_length(project_id) <= 128)),
    CONSTRAINT records_session_id_check CHECK ((octet_length(session_id) <= 128)),
    CONSTRAINT records_source_id_check CHECK ((octet_length(source_id) <= 128)),
    CONSTRAINT records_source_name_check CHECK ((octet_length(source_name) <= 256)),
    CONSTRAINT records_source_type_check CHECK ((octet_length(source_type) <= 128))
);

ALTER TABLE rensou.records OWNER TO rensou_owner;

CREATE TABLE rensou.relation_history (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    subject_entity bigint,
    subject_record bigint,
    predicate text NOT NULL,
    normalized_predicate text NOT NULL COLLATE pg_catalog."C",
    object_entity bigint,
    object_record bigint,
    anchor_record bigint,
    declared_by text NOT NULL COLLATE pg_catalog."C",
    declared_at timestamp with time zone NOT NULL,
    retracted_at timestamp with time zone NOT NULL
);

ALTER TABLE rensou.relation_history OWNER TO rensou_owner;

CREATE SEQUENCE rensou.relation_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.relation_ids OWNER TO rensou_owner;

CREATE TABLE rensou.relations (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.relation_ids'::regclass) NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    subject_entity bigint,
    subject_record bigint,
    predicate text NOT NULL,
    normalized_predicate text NOT NULL COLLATE pg_catalog."C",
    object_entity bigint,
    object_record bigint,
    anchor_record bigint,
    declared_by text NOT NULL COLLATE pg_catalog."C",
    declared_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    certainty text COLLATE pg_catalog."C",
    CONSTRAINT relations_certainty_check CHECK ((certainty = ANY (ARRAY['sure'::text, 'likely'::text, 'vague'::text]))),
    CONSTRAINT relations_check CHECK ((num_nonnulls(subject_entity, subject_record) = 1)),
    CONSTRAINT relations_check1 CHECK ((num_nonnulls(object_entity, object_record) = 1)),
    CONSTRAINT relations_check2 CHECK (((subject_entity IS DISTINCT FROM object_entity) OR (subject_entity IS NULL))),
    CONSTRAINT relations_check3 CHECK (((subject_record IS DISTINCT FROM object_record) OR (subject_record IS NULL))),
    CONSTRAINT relations_declared_by_check CHECK ((declared_by = ANY (ARRAY['agent'::text, 'operator'::text]))),
    CONSTRAINT relations_normalized_predicate_check CHECK ((normalized_predicate <> ''::text))
);

ALTER TABLE rensou.relations OWNER TO rensou_owner;

CREATE TABLE rensou.retention_policies (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    tests text NOT NULL,
    put_by text NOT NULL COLLATE pg_catalog."C",
    put_at timestamp with time zone NOT NULL,
    CONSTRAINT retention_policies_channel_check CHECK ((octet_length(channel) <= 128)),
    CONSTRAINT retention_policies_name_check CHECK (((name <> ''::text) AND (octet_length(name) <= 128))),
    CONSTRAINT retention_policies_project_id_check CHECK ((octet_length(project_id) <= 128)),
    CONSTRAINT retention_policies_put_by_check CHECK ((put_by = ANY (ARRAY['agent'::text, 'operator'::text]))),
    CONSTRAINT retention_policies_tests_check CHECK ((tests <> ''::text))
);

ALTER TABLE rensou.retention_policies OWNER TO rensou_owner;

CREATE TABLE rensou.retired_caller_ids (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    caller_id text NOT NULL COLLATE pg_catalog."C",
    content_sha256 bytea NOT NULL
);

ALTER TABLE rensou.retired_caller_ids OWNER TO rensou_owner;

CREATE TABLE rensou.retired_terms (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    terms_version smallint NOT NULL,
    hashes bigint[] NOT NULL,
    words public.sparsevec(999999937) NOT NULL,
    trigrams public.sparsevec(999999937) NOT NULL,
    traits smallint NOT NULL
);

ALTER TABLE rensou.retired_terms OWNER TO rensou_owner;

CREATE TABLE rensou.retired_vectors (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    model_id integer NOT NULL,
    token_count integer,
    embedding public.halfvec NOT NULL,
    dimensions integer GENERATED ALWAYS AS (public.vector_dims(embedding)) STORED,
    CONSTRAINT retired_vectors_embedding_check CHECK ((abs((public.l2_norm(embedding) - (1)::double precision)) < (0.01)::double precision))
);
ALTER TABLE ONLY rensou.retired_vectors ALTER COLUMN embedding SET STORAGE PLAIN;

ALTER TABLE rensou.retired_vectors OWNER TO rensou_owner;

CREATE TABLE rensou.revision_terms (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    revision integer NOT NULL,
    terms_version smallint NOT NULL,
    hashes bigint[] NOT NULL,
    words public.sparsevec(999999937) NOT NULL,
    trigrams public.sparsevec(999999937) NOT NULL,
    traits smallint NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY rensou.revision_terms ALTER COLUMN hashes SET STORAGE MAIN;
ALTER TABLE ONLY rensou.revision_terms ALTER COLUMN words SET STORAGE MAIN;
ALTER TABLE ONLY rensou.revision_terms ALTER COLUMN trigrams SET STORAGE MAIN;

ALTER TABLE rensou.revision_terms OWNER TO rensou_owner;

CREATE TABLE rensou.revision_vectors (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    revision integer NOT NULL,
    model_id integer NOT NULL,
    token_count integer,
    embedding public.halfvec NOT NULL
);
ALTER TABLE ONLY rensou.revision_vectors ALTER COLUMN embedding SET STORAGE PLAIN;

ALTER TABLE rensou.revision_vectors OWNER TO rensou_owner;

CREATE TABLE rensou.schema_migrations (
    version character varying NOT NULL
);

ALTER TABLE rensou.schema_migrations OWNER TO rensou_owner;

CREATE TABLE rensou.scope_counts (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    project_id text NOT NULL COLLATE pg_catalog."C",
    records bigint NOT NULL
);

ALTER TABLE rensou.scope_counts OWNER TO rensou_owner;

CREATE SEQUENCE rensou.term_delta_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.term_delta_ids OWNER TO rensou_owner;

CREATE TABLE rensou.term_deltas (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.term_delta_ids'::regclass) NOT NULL,
    project_id text NOT NULL COLLATE pg_catalog."C",
    delta smallint NOT NULL,
    slots integer[] NOT NULL,
    CONSTRAINT term_deltas_delta_check CHECK ((delta = ANY (ARRAY['-1'::integer, 1])))
);

ALTER TABLE rensou.term_deltas OWNER TO rensou_owner;

CREATE TABLE rensou.term_frequencies (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    slot integer NOT NULL,
    records integer NOT NULL
);

ALTER TABLE rensou.term_frequencies OWNER TO rensou_owner;

CREATE TABLE rensou.unrelated_questions (
    model_id integer NOT NULL,
    questions_version smallint NOT NULL,
    script text NOT NULL COLLATE pg_catalog."C",
    "position" smallint NOT NULL,
    embedding public.halfvec NOT NULL,
    CONSTRAINT unrelated_questions_embedding_check CHECK ((abs((public.l2_norm(embedding) - (1)::double precision)) < (0.01)::double precision))
);
ALTER TABLE ONLY rensou.unrelated_questions ALTER COLUMN embedding SET STORAGE PLAIN;

ALTER TABLE rensou.unrelated_questions OWNER TO rensou_owner;

CREATE TABLE rensou.use_reports (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    recall_id text NOT NULL COLLATE pg_catalog."C",
    record_id bigint NOT NULL,
    verdict text NOT NULL COLLATE pg_catalog."C",
    code text NOT NULL COLLATE pg_catalog."C",
    first_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    times integer DEFAULT 1 NOT NULL,
    CONSTRAINT use_reports_code_check CHECK ((code = ANY (ARRAY['none'::text, 'system_degraded'::text, 'stale_conflict'::text, 'unattributed'::text, 'candidate_miss'::text, 'filter_drop'::text, 'ranking_miss'::text, 'evidence_noise'::text]))),
    CONSTRAINT use_reports_verdict_check CHECK ((verdict = ANY (ARRAY['used'::text, 'unused'::text, 'wrong'::text])))
);

ALTER TABLE rensou.use_reports OWNER TO rensou_owner;

CREATE SEQUENCE rensou.validity_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE rensou.validity_ids OWNER TO rensou_owner;

CREATE TABLE rensou.validity_assertions (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint DEFAULT nextval('rensou.validity_ids'::regclass) NOT NULL,
    record_id bigint,
    relation_id bigint,
    valid_from timestamp with time zone,
    valid_to timestamp with time zone,
    asserted_by text NOT NULL COLLATE pg_catalog."C",
    recorded_at timestamp with time zone NOT NULL,
    superseded_at timestamp with time zone,
    CONSTRAINT validity_assertions_asserted_by_check CHECK ((asserted_by = ANY (ARRAY['agent'::text, 'operator'::text]))),
    CONSTRAINT validity_assertions_check CHECK ((num_nonnulls(record_id, relation_id) = 1)),
    CONSTRAINT validity_assertions_check1 CHECK ((valid_from < valid_to)),
    CONSTRAINT validity_assertions_check2 CHECK ((isfinite(valid_from) AND isfinite(valid_to))),
    CONSTRAINT validity_assertions_check3 CHECK ((recorded_at <= superseded_at))
);

ALTER TABLE rensou.validity_assertions OWNER TO rensou_owner;

CREATE TABLE rensou.validity_history (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    id bigint NOT NULL,
    relation_id bigint NOT NULL,
    valid_from timestamp with time zone,
    valid_to timestamp with time zone,
    asserted_by text NOT NULL COLLATE pg_catalog."C",
    recorded_at timestamp with time zone NOT NULL,
    superseded_at timestamp with time zone
);

ALTER TABLE rensou.validity_history OWNER TO rensou_owner;

CREATE VIEW rensou_known.entities WITH (security_invoker='true') AS
 SELECT e.agent_id,
    e.id,
    e.project_id,
    e.channel,
    e.name,
    e.declared_by,
    e.created_at
   FROM rensou.entities e
  WHERE (e.created_at <= ( SELECT rensou_known.moment() AS moment))
UNION ALL
 SELECT h.agent_id,
    h.id,
    h.project_id,
    h.channel,
    h.name,
    h.declared_by,
    h.created_at
   FROM rensou.entity_history h
  WHERE ((h.created_at <= ( SELECT rensou_known.moment() AS moment)) AND (h.deleted_at > ( SELECT rensou_known.moment() AS moment)));

ALTER VIEW rensou_known.entities OWNER TO rensou_owner;

CREATE VIEW rensou_known.entity_aliases WITH (security_invoker='true') AS
 SELECT a.agent_id,
    a.project_id,
    a.channel,
    a.normalized,
    a.entity_id,
    a.alias,
    a.is_name,
    a.created_at
   FROM rensou.entity_aliases a
  WHERE (a.created_at <= ( SELECT rensou_known.moment() AS moment))
UNION ALL
 SELECT h.agent_id,
    h.project_id,
    h.channel,
    h.normalized,
    h.entity_id,
    h.alias,
    h.is_name,
    h.created_at
   FROM rensou.alias_history h
  WHERE ((h.created_at <= ( SELECT rensou_known.moment() AS moment)) AND (h.deleted_at > ( SELECT rensou_known.moment() AS moment)));

ALTER VIEW rensou_known.entity_aliases OWNER TO rensou_owner;

CREATE VIEW rensou_known.relations WITH (security_invoker='true') AS
 SELECT s.agent_id,
    s.id,
    s.project_id,
    s.channel,
    s.subject_entity,
    s.subject_record,
    s.predicate,
    s.normalized_predicate,
    s.object_entity,
    s.object_record,
    s.anchor_record,
    s.declared_by,
    s.declared_at,
        CASE
            WHEN (EXISTS ( SELECT
               FROM rensou.former_certainties f
              WHERE ((f.agent_id = s.agent_id) AND (f.relation_id = s.id) AND (f.superseded_at > ( SELECT rensou_known.moment() AS moment))))) THEN ( SELECT f.certainty
               FROM rensou.former_certainties f
              WHERE ((f.agent_id = s.agent_id) AND (f.relation_id = s.id) AND (f.superseded_at > ( SELECT rensou_known.moment() AS moment)))
              ORDER BY f.superseded_at, f.id
             LIMIT 1)
            ELSE s.certainty
        END AS certainty
   FROM rensou.relations s
  WHERE (s.declared_at <= ( SELECT rensou_known.moment() AS moment))
UNION ALL
 SELECT h.agent_id,
    h.id,
    h.project_id,
    h.channel,
    h.subject_entity,
    h.subject_record,
    h.predicate,
    h.normalized_predicate,
    h.object_entity,
    h.object_record,
    h.anchor_record,
    h.declared_by,
    h.declared_at,
    NULL::text AS certainty
   FROM rensou.relation_history h
  WHERE ((h.declared_at <= ( SELECT rensou_known.moment() AS moment)) AND (h.retracted_at > ( SELECT rensou_known.moment() AS moment)));

ALTER VIEW rensou_known.relations OWNER TO rensou_owner;

CREATE VIEW rensou_known.entity_edges WITH (security_invoker='true') AS
 SELECT s.agent_id,
    s.project_id,
    s.channel,
    s.subject_entity AS from_entity,
    s.object_entity AS to_entity,
    s.id AS relation_id,
    s.declared_at
   FROM rensou_known.relations s
  WHERE ((s.subject_entity IS NOT NULL) AND (s.object_entity IS NOT NULL))
UNION ALL
 SELECT s.agent_id,
    s.project_id,
    s.channel,
    s.object_entity AS from_entity,
    s.subject_entity AS to_entity,
    s.id AS relation_id,
    s.declared_at
   FROM rensou_known.relations s
  WHERE ((s.subject_entity IS NOT NULL) AND (s.object_entity IS NOT NULL));

ALTER VIEW rensou_known.entity_edges OWNER TO rensou_owner;

CREATE VIEW rensou_known.entity_mentions WITH (security_invoker='true') AS
 SELECT m.agent_id,
    m.entity_id,
    m.record_id,
    m.declared_by,
    m.created_at
   FROM rensou.entity_mentions m
  WHERE (m.created_at <= ( SELECT rensou_known.moment() AS moment))
UNION ALL
 SELECT h.agent_id,
    h.entity_id,
    h.record_id,
    h.declared_by,
    h.declared_at AS created_at
   FROM rensou.mention_history h
  WHERE ((h.declared_at <= ( SELECT rensou_known.moment() AS moment)) AND (h.retracted_at > ( SELECT rensou_known.moment() AS moment)) AND (NOT (EXISTS ( SELECT
           FROM rensou.entity_mentions m
          WHERE ((m.agent_id = h.agent_id) AND (m.entity_id = h.entity_id) AND (m.record_id = h.record_id) AND (m.created_at <= ( SELECT rensou_known.moment() AS moment)))))) AND (NOT (EXISTS ( SELECT
           FROM rensou.mention_history n
          WHERE ((n.agent_id = h.agent_id) AND (n.entity_id = h.entity_id) AND (n.record_id = h.record_id) AND (n.id > h.id) AND (n.declared_at <= ( SELECT rensou_known.moment() AS moment)) AND (n.retracted_at > ( SELECT rensou_known.moment() AS moment)))))));

ALTER VIEW rensou_known.entity_mentions OWNER TO rensou_owner;

CREATE VIEW rensou_known.former_texts WITH (security_invoker='true') AS
 SELECT r.agent_id,
    r.id AS record_id,
    v.revision,
    r.project_id,
    r.channel,
    r.source_id,
    r.session_id,
    r.occurred_at,
    r.source_name,
    (r.retired_at IS NOT NULL) AS is_retired
   FROM (rensou.records r
     JOIN rensou.record_revisions v ON (((v.agent_id = r.agent_id) AND (v.record_id = r.id))))
  WHERE ((r.created_at <= ( SELECT rensou_known.moment() AS moment)) AND (r.revised_at > ( SELECT rensou_known.moment() AS moment)) AND (v.current_from <= ( SELECT rensou_known.moment() AS moment)) AND (NOT (EXISTS ( SELECT
           FROM rensou.record_revisions n
          WHERE ((n.agent_id = v.agent_id) AND (n.record_id = v.record_id) AND (n.revision > v.revision) AND (n.current_from <= ( SELECT rensou_known.moment() AS moment)))))));

ALTER VIEW rensou_known.former_texts OWNER TO rensou_owner;

CREATE VIEW rensou_known.record_nodes WITH (security_invoker='true') AS
 SELECT n.agent_id,
    n.record_id,
    n.node_index,
    n.start_char,
    n.end_char,
    n.token_count,
    n.token_window,
    n.model_id,
    n.divider_version,
    n.embedding,
    n.dimensions
   FROM (rensou.record_nodes n
     JOIN rensou.records r ON (((r.agent_id = n.agent_id) AND (r.id = n.record_id))))
  WHERE ((r.created_at <= ( SELECT rensou_known.moment() AS moment)) AND (COALESCE(r.revised_at, r.created_at) <= ( SELECT rensou_known.moment() AS moment)));

ALTER VIEW rensou_known.record_nodes OWNER TO rensou_owner;

CREATE VIEW rensou_known.record_terms WITH (security_invoker='true') AS
 SELECT t.agent_id,
    t.record_id,
    t.terms_version,
    t.project_id,
    t.channel,
    t.source_id,
    t.hashes,
    t.words,
    t.trigrams,
    t.session_id,
    t.occurred_at,
    t.traits,
    t.source_name
   FROM (rensou.record_terms t
     JOIN rensou.records r ON (((r.agent_id = t.agent_id) AND (r.id = t.record_id))))
  WHERE ((r.created_at <= ( SELECT rensou_known.moment() AS moment)) AND (COALESCE(r.revised_at, r.created_at) <= ( SELECT rensou_known.moment() AS moment)))
UNION ALL
 SELECT t.agent_id,
    t.record_id,
    t.terms_version,
    f.project_id,
    f.channel,
    f.source_id,
    t.hashes,
    t.words,
    t.trigrams,
    f.session_id,
    COALESCE(f.occurred_at, '-infinity'::timestamp with time zone) AS occurred_at,
    t.traits,
    f.source_name
   FROM (rensou_known.former_texts f
     JOIN rensou.revision_terms t ON (((t.agent_id = f.agent_id) AND (t.record_id = f.record_id) AND (t.revision = f.revision))))
  WHERE (NOT f.is_retired);

ALTER VIEW rensou_known.record_terms OWNER TO rensou_owner;

CREATE VIEW rensou_known.record_vectors WITH (security_invoker='true') AS
 SELECT v.agent_id,
    v.record_id,
    v.model_id,
    v.project_id,
    v.channel,
    v.source_id,
    v.token_count,
    v.embedding,
    v.dimensions,
    v.covered,
    v.ann_lane
   FROM (rensou.record_vectors v
     JOIN rensou.records r ON (((r.agent_id = v.agent_id) AND (r.id = v.record_id))))
  WHERE ((r.created_at <= ( SELECT rensou_known.moment() AS moment)) AND (COALESCE(r.revised_at, r.created_at) <= ( SELECT rensou_known.moment() AS moment)))
UNION ALL
 SELECT v.agent_id,
    v.record_id,
    v.model_id,
    f.project_id,
    f.channel,
    f.source_id,
    v.token_count,
    v.embedding,
    public.vector_dims(v.embedding) AS dimensions,
    (public.vector_dims(v.embedding) <= 1024) AS covered,
    NULL::smallint AS ann_lane
   FROM (rensou_known.former_texts f
     JOIN rensou.revision_vectors v ON (((v.agent_id = f.agent_id) AND (v.record_id = f.record_id) AND (v.revision = f.revision))))
  WHERE (NOT f.is_retired);

ALTER VIEW rensou_known.record_vectors OWNER TO rensou_owner;

CREATE VIEW rensou_known.records WITH (security_invoker='true') AS
 SELECT r.agent_id,
    r.id,
    r.kind,
    r.project_id,
    r.channel,
        CASE
            WHEN (g.revision IS NULL) THEN r.content
            ELSE g.content
        END AS content,
        CASE
            WHEN (g.revision IS NULL) THEN r.content_sha256
            ELSE g.content_sha256
        END AS content_sha256,
        CASE
            WHEN (g.revision IS NULL) THEN r.content_chars
            ELSE char_length(g.content)
        END AS content_chars,
    r.source_type,
    r.source_id,
    r.source_name,
    r.session_id,
    r.occurred_at,
    r.ended_at,
    r.metadata,
    r.locked,
    COALESCE(g.revision, r.revision) AS revision,
    r.created_at,
        CASE
            WHEN (g.revision IS NULL) THEN r.revised_at
            WHEN (g.revision > 1) THEN g.current_from
            ELSE NULL::timestamp with time zone
        END AS revised_at,
    r.happened_at,
    r.retired_at,
    r.certainty
   FROM (rensou.records r
     LEFT JOIN LATERAL ( SELECT v.revision,
            v.content,
            v.content_sha256,
            v.current_from
           FROM rensou.record_revisions v
          WHERE ((v.agent_id = r.agent_id) AND (v.record_id = r.id) AND (COALESCE(r.revised_at, r.created_at) > ( SELECT rensou_known.moment() AS moment)) AND (v.current_from <= ( SELECT rensou_known.moment() AS moment)))
          ORDER BY v.revision DESC
         LIMIT 1) g ON (true))
  WHERE ((r.created_at <= ( SELECT rensou_known.moment() AS moment)) AND ((COALESCE(r.revised_at, r.created_at) <= ( SELECT rensou_known.moment() AS moment)) OR (g.revision IS NOT NULL)));

ALTER VIEW rensou_known.records OWNER TO rensou_owner;

CREATE VIEW rensou_known.retired_terms WITH (security_invoker='true') AS
 SELECT t.agent_id,
    t.record_id,
    t.terms_version,
    t.hashes,
    t.words,
    t.trigrams,
    t.traits
   FROM (rensou.retired_terms t
     JOIN rensou.records r ON (((r.agent_id = t.agent_id) AND (r.id = t.record_id))))
  WHERE ((r.created_at <= ( SELECT rensou_known.moment() AS moment)) AND (COALESCE(r.revised_at, r.created_at) <= ( SELECT rensou_known.moment() AS moment)))
UNION ALL
 SELECT t.agent_id,
    t.record_id,
    t.terms_version,
    t.hashes,
    t.words,
    t.trigrams,
    t.traits
   FROM (rensou_known.former_texts f
     JOIN rensou.revision_terms t ON (((t.agent_id = f.agent_id) AND (t.record_id = f.record_id) AND (t.revision = f.revision))))
  WHERE f.is_retired;

ALTER VIEW rensou_known.retired_terms OWNER TO rensou_owner;

CREATE VIEW rensou_known.retired_vectors WITH (security_invoker='true') AS
 SELECT v.agent_id,
    v.record_id,
    v.model_id,
    v.token_count,
    v.embedding,
    v.dimensions
   FROM (rensou.retired_vectors v
     JOIN rensou.records r ON (((r.agent_id = v.agent_id) AND (r.id = v.record_id))))
  WHERE ((r.created_at <= ( SELECT rensou_known.moment() AS moment)) AND (COALESCE(r.revised_at, r.created_at) <= ( SELECT rensou_known.moment() AS moment)))
UNION ALL
 SELECT v.agent_id,
    v.record_id,
    v.model_id,
    v.token_count,
    v.embedding,
    public.vector_dims(v.embedding) AS dimensions
   FROM (rensou_known.former_texts f
     JOIN rensou.revision_vectors v ON (((v.agent_id = f.agent_id) AND (v.record_id = f.record_id) AND (v.revision = f.revision))))
  WHERE f.is_retired;

ALTER VIEW rensou_known.retired_vectors OWNER TO rensou_owner;

CREATE VIEW rensou_known.validity_assertions WITH (security_invoker='true') AS
 SELECT v.agent_id,
    v.id,
    v.record_id,
    v.relation_id,
    v.valid_from,
    v.valid_to,
    v.asserted_by,
    v.recorded_at,
    NULL::timestamp with time zone AS superseded_at
   FROM rensou.validity_assertions v
  WHERE ((v.recorded_at <= ( SELECT rensou_known.moment() AS moment)) AND (COALESCE(v.superseded_at, 'infinity'::timestamp with time zone) > ( SELECT rensou_known.moment() AS moment)))
UNION ALL
 SELECT h.agent_id,
    h.id,
    NULL::bigint AS record_id,
    h.relation_id,
    h.valid_from,
    h.valid_to,
    h.asserted_by,
    h.recorded_at,
    NULL::timestamp with time zone AS superseded_at
   FROM rensou.validity_history h
  WHERE ((h.recorded_at <= ( SELECT rensou_known.moment() AS moment)) AND (COALESCE(h.superseded_at, 'infinity'::timestamp with time zone) > ( SELECT rensou_known.moment() AS moment)));

ALTER VIEW rensou_known.validity_assertions OWNER TO rensou_owner;

ALTER TABLE ONLY rensou.alias_history
    ADD CONSTRAINT alias_history_pkey PRIMARY KEY (agent_id, entity_id, project_id, channel, normalized);

ALTER TABLE ONLY rensou.ann_agents
    ADD CONSTRAINT ann_agents_pkey PRIMARY KEY (agent_id, model_id);

ALTER TABLE ONLY rensou.embedding_models
    ADD CONSTRAINT embedding_models_fingerprint_key UNIQUE (fingerprint);

ALTER TABLE ONLY rensou.embedding_models
    ADD CONSTRAINT embedding_models_id_dimensions_key UNIQUE (id, dimensions);

ALTER TABLE ONLY rensou.embedding_models
    ADD CONSTRAINT embedding_models_pkey PRIMARY KEY (id);

ALTER TABLE ONLY rensou.entities
    ADD CONSTRAINT entities_agent_id_id_project_id_channel_key UNIQUE (agent_id, id, project_id, channel);

ALTER TABLE ONLY rensou.entities
    ADD CONSTRAINT entities_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.entity_aliases
    ADD CONSTRAINT entity_aliases_pkey PRIMARY KEY (agent_id, project_id, channel, normalized);

ALTER TABLE ONLY rensou.entity_edges
    ADD CONSTRAINT entity_edges_pkey PRIMARY KEY (agent_id, from_entity, to_entity, project_id, channel) INCLUDE (declared_at, relation_id);

ALTER TABLE ONLY rensou.entity_history
    ADD CONSTRAINT entity_history_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.entity_mentions
    ADD CONSTRAINT entity_mentions_pkey PRIMARY KEY (agent_id, entity_id, record_id);

ALTER TABLE ONLY rensou.former_certainties
    ADD CONSTRAINT former_certainties_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.mention_history
    ADD CONSTRAINT mention_history_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.node_builds
    ADD CONSTRAINT node_builds_once UNIQUE NULLS NOT DISTINCT (agent_id, record_id, content_sha256, model_id, token_window, divider_version);

ALTER TABLE ONLY rensou.node_builds
    ADD CONSTRAINT node_builds_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.recall_log
    ADD CONSTRAINT recall_log_pkey PRIMARY KEY (agent_id, recall_id);

ALTER TABLE ONLY rensou.record_caller_ids
    ADD CONSTRAINT record_caller_ids_pkey PRIMARY KEY (agent_id, project_id, channel, caller_id);

ALTER TABLE ONLY rensou.record_nodes
    ADD CONSTRAINT record_nodes_pkey PRIMARY KEY (agent_id, record_id, model_id, node_index);

ALTER TABLE ONLY rensou.record_retirements
    ADD CONSTRAINT record_retirements_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.record_revisions
    ADD CONSTRAINT record_revisions_pkey PRIMARY KEY (agent_id, record_id, revision);

ALTER TABLE ONLY rensou.record_terms
    ADD CONSTRAINT record_terms_pkey PRIMARY KEY (agent_id, record_id);

ALTER TABLE ONLY rensou.record_vectors
    ADD CONSTRAINT record_vectors_pkey PRIMARY KEY (agent_id, record_id, model_id);

ALTER TABLE ONLY rensou.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.relation_history
    ADD CONSTRAINT relation_history_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_once UNIQUE NULLS NOT DISTINCT (agent_id, project_id, channel, subject_entity, subject_record, normalized_predicate, object_entity, object_record, anchor_record);

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.retention_policies
    ADD CONSTRAINT retention_policies_pkey PRIMARY KEY (agent_id, project_id, channel, name);

ALTER TABLE ONLY rensou.retired_caller_ids
    ADD CONSTRAINT retired_caller_ids_pkey PRIMARY KEY (agent_id, record_id, project_id, channel, caller_id);

ALTER TABLE ONLY rensou.retired_terms
    ADD CONSTRAINT retired_terms_pkey PRIMARY KEY (agent_id, record_id);

ALTER TABLE ONLY rensou.retired_vectors
    ADD CONSTRAINT retired_vectors_pkey PRIMARY KEY (agent_id, record_id, model_id);

ALTER TABLE ONLY rensou.revision_terms
    ADD CONSTRAINT revision_terms_pkey PRIMARY KEY (agent_id, record_id, revision);

ALTER TABLE ONLY rensou.revision_vectors
    ADD CONSTRAINT revision_vectors_pkey PRIMARY KEY (agent_id, record_id, revision, model_id);

ALTER TABLE ONLY rensou.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY rensou.scope_counts
    ADD CONSTRAINT scope_counts_pkey PRIMARY KEY (agent_id, project_id);

ALTER TABLE ONLY rensou.term_deltas
    ADD CONSTRAINT term_deltas_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.term_frequencies
    ADD CONSTRAINT term_frequencies_pkey PRIMARY KEY (agent_id, slot);

ALTER TABLE ONLY rensou.unrelated_questions
    ADD CONSTRAINT unrelated_questions_pkey PRIMARY KEY (model_id, questions_version, script, "position");

ALTER TABLE ONLY rensou.use_reports
    ADD CONSTRAINT use_reports_pkey PRIMARY KEY (agent_id, recall_id, record_id);

ALTER TABLE ONLY rensou.validity_assertions
    ADD CONSTRAINT validity_assertions_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.validity_history
    ADD CONSTRAINT validity_history_pkey PRIMARY KEY (agent_id, id);

CREATE INDEX alias_history_normalized ON rensou.alias_history USING btree (agent_id, normalized);

CREATE UNIQUE INDEX embedding_models_one_active ON rensou.embedding_models USING btree (state) WHERE (state = 'active'::text);

CREATE UNIQUE INDEX embedding_models_one_building ON rensou.embedding_models USING btree (state) WHERE (state = 'building'::text);

CREATE INDEX entities_place ON rensou.entities USING btree (agent_id, project_id, id);

CREATE INDEX entity_aliases_entity ON rensou.entity_aliases USING btree (agent_id, entity_id);

CREATE INDEX entity_aliases_long ON rensou.entity_aliases USING btree (agent_id) WHERE (length(normalized) > 64);

CREATE INDEX entity_aliases_normalized ON rensou.entity_aliases USING btree (agent_id, normalized, project_id, channel);

CREATE INDEX entity_edges_newest ON rensou.entity_edges USING btree (agent_id, from_entity, declared_at DESC, relation_id) INCLUDE (to_entity, project_id, channel);

CREATE INDEX entity_edges_relation ON rensou.entity_edges USING btree (agent_id, relation_id);

CREATE INDEX entity_edges_to ON rensou.entity_edges USING btree (agent_id, to_entity, from_entity);

CREATE INDEX entity_mentions_record ON rensou.entity_mentions USING btree (agent_id, record_id);

CREATE INDEX former_certainties_relation ON rensou.former_certainties USING btree (agent_id, relation_id, superseded_at, id);

CREATE INDEX mention_history_entity ON rensou.mention_history USING btree (agent_id, entity_id, record_id, id);

CREATE INDEX mention_history_record ON rensou.mention_history USING btree (agent_id, record_id, entity_id, id);

CREATE INDEX node_builds_dead ON rensou.node_builds USING btree (agent_id) WHERE (state = 'dead'::text);

CREATE INDEX node_builds_due ON rensou.node_builds USING btree (rebuild, next_at, id) WHERE ((state = 'pending'::text) AND (crashes = 0));

CREATE INDEX node_builds_finished ON rensou.node_builds USING btree (finished_at) WHERE (state = ANY (ARRAY['done'::text, 'superseded'::text]));

CREATE INDEX node_builds_leased ON rensou.node_builds USING btree (lease_until) WHERE (state = 'running'::text);

CREATE INDEX node_builds_open ON rensou.node_builds USING btree ((
CASE
    WHEN ((state = 'pending'::text) AND (crashes > 0)) THEN 'quarantined'::text
    ELSE state
END), ((agent_id || ''::text)), id) WHERE (state = ANY (ARRAY['pending'::text, 'running'::text, 'dead'::text]));

CREATE INDEX node_builds_pending ON rensou.node_builds USING btree (agent_id) WHERE ((state = 'pending'::text) AND (NOT rebuild));

CREATE INDEX node_builds_quarantined ON rensou.node_builds USING btree (next_at, id) WHERE ((state = 'pending'::text) AND (crashes > 0));

CREATE INDEX recall_log_newest ON rensou.recall_log USING btree (agent_id, at DESC);

CREATE INDEX record_caller_ids_record ON rensou.record_caller_ids USING btree (agent_id, record_id);

CREATE INDEX record_retirements_record ON rensou.record_retirements USING btree (agent_id, record_id, id);

CREATE INDEX record_terms_hashes ON rensou.record_terms USING gin (hashes) WITH (fastupdate='on', gin_pending_list_limit='1024');

CREATE INDEX record_terms_session ON rensou.record_terms USING btree (agent_id, session_id, project_id, channel, occurred_at, record_id) WHERE (session_id <> ''::text);

CREATE INDEX record_vectors_covering ON rensou.record_vectors USING btree (agent_id, model_id, project_id) INCLUDE (record_id, channel, source_id, embedding) WHERE covered;

CREATE INDEX record_vectors_flagged ON rensou.record_vectors USING btree (agent_id, model_id) WHERE (ann_lane IS NOT NULL);

CREATE INDEX record_vectors_unflagged ON rensou.record_vectors USING btree (agent_id, model_id) WHERE (ann_lane IS NULL);

CREATE INDEX record_vectors_wide ON rensou.record_vectors USING btree (agent_id, model_id, project_id) WHERE (NOT covered);

CREATE INDEX records_episodes ON rensou.records USING btree (agent_id, project_id, channel, occurred_at, id) WHERE (kind = 'ep'::text);

CREATE INDEX records_retired ON rensou.records USING btree (agent_id, id) INCLUDE (project_id, channel, source_id) WHERE (retired_at IS NOT NULL);

CREATE INDEX records_revised ON rensou.records USING btree (agent_id, session_id, revised_at) WHERE (revised_at IS NOT NULL);

CREATE UNIQUE INDEX records_same_content ON rensou.records USING btree (agent_id, kind, project_id, channel, source_type, source_id, session_id, occurred_at, ended_at, content_sha256) NULLS NOT DISTINCT WHERE (retired_at IS NULL);

CREATE INDEX records_sample ON rensou.records USING btree (agent_id, content_sha256, id) WHERE (retired_at IS NULL);

CREATE INDEX records_time ON rensou.records USING btree (agent_id, happened_at, id) INCLUDE (project_id, channel, source_id) WHERE (retired_at IS NULL);

CREATE INDEX relation_history_anchor_record ON rensou.relation_history USING btree (agent_id, anchor_record) WHERE (anchor_record IS NOT NULL);

CREATE INDEX relation_history_object_entity ON rensou.relation_history USING btree (agent_id, object_entity, id) WHERE (object_entity IS NOT NULL);

CREATE INDEX relation_history_object_record ON rensou.relation_history USING btree (agent_id, object_record, id) WHERE (object_record IS NOT NULL);

CREATE INDEX relation_history_subject_entity ON rensou.relation_history USING btree (agent_id, subject_entity, id) WHERE (subject_entity IS NOT NULL);

CREATE INDEX relation_history_subject_record ON rensou.relation_history USING btree (agent_id, subject_record, id) WHERE (subject_record IS NOT NULL);

CREATE INDEX relations_anchor_record ON rensou.relations USING btree (agent_id, anchor_record) WHERE (anchor_record IS NOT NULL);

CREATE INDEX relations_object_entity ON rensou.relations USING btree (agent_id, object_entity, id) WHERE (object_entity IS NOT NULL);

CREATE INDEX relations_object_record ON rensou.relations USING btree (agent_id, object_record, id) WHERE (object_record IS NOT NULL);

CREATE INDEX relations_place ON rensou.relations USING btree (agent_id, project_id, id);

CREATE INDEX relations_statements ON rensou.relations USING btree (agent_id, subject_entity, normalized_predicate, id) WHERE ((subject_entity IS NOT NULL) AND (object_entity IS NOT NULL));

CREATE INDEX relations_subject_entity ON rensou.relations USING btree (agent_id, subject_entity, object_entity) WHERE (subject_entity IS NOT NULL);

CREATE INDEX relations_subject_entity_id ON rensou.relations USING btree (agent_id, subject_entity, id) WHERE (subject_entity IS NOT NULL);

CREATE INDEX relations_subject_record ON rensou.relations USING btree (agent_id, subject_record, id) WHERE (subject_record IS NOT NULL);

CREATE INDEX use_reports_record ON rensou.use_reports USING btree (agent_id, record_id);

CREATE INDEX validity_history_relation ON rensou.validity_history USING btree (agent_id, relation_id, id);

CREATE UNIQUE INDEX validity_open_record ON rensou.validity_assertions USING btree (agent_id, record_id) WHERE ((superseded_at IS NULL) AND (record_id IS NOT NULL));

CREATE UNIQUE INDEX validity_open_relation ON rensou.validity_assertions USING btree (agent_id, relation_id) WHERE ((superseded_at IS NULL) AND (relation_id IS NOT NULL));

CREATE INDEX validity_record ON rensou.validity_assertions USING btree (agent_id, record_id, recorded_at) WHERE (record_id IS NOT NULL);

CREATE INDEX validity_relation ON rensou.validity_assertions USING btree (agent_id, relation_id, recorded_at) WHERE (relation_id IS NOT NULL);

CREATE TRIGGER aliases_keep_history BEFORE DELETE ON rensou.entity_aliases FOR EACH ROW EXECUTE FUNCTION rensou.aliases_keep_history();

CREATE TRIGGER entities_keep_history BEFORE DELETE ON rensou.entities FOR EACH ROW EXECUTE FUNCTION rensou.entities_keep_history();

CREATE TRIGGER mentions_keep_history BEFORE DELETE ON rensou.entity_mentions FOR EACH ROW EXECUTE FUNCTION rensou.mentions_keep_history();

CREATE TRIGGER record_terms_count AFTER INSERT OR DELETE OR UPDATE OF words, trigrams, project_id ON rensou.record_terms FOR EACH ROW EXECUTE FUNCTION rensou.record_terms_count();

CREATE TRIGGER record_terms_stay_aside BEFORE INSERT ON rensou.record_terms FOR EACH ROW EXECUTE FUNCTION rensou.record_terms_stay_aside();

CREATE TRIGGER record_vectors_stay_aside BEFORE INSERT ON rensou.record_vectors FOR EACH ROW EXECUTE FUNCTION rensou.record_vectors_stay_aside();

CREATE TRIGGER record_vectors_take_lane BEFORE INSERT ON rensou.record_vectors FOR EACH ROW EXECUTE FUNCTION rensou.record_vectors_take_lane();

CREATE TRIGGER records_archive_derived AFTER UPDATE ON rensou.records FOR EACH ROW WHEN ((new.content <> old.content)) EXECUTE FUNCTION rensou.records_archive_derived();

CREATE TRIGGER records_describe_content BEFORE INSERT ON rensou.records FOR EACH ROW EXECUTE FUNCTION rensou.records_describe_content();

CREATE TRIGGER records_drop_derived AFTER UPDATE ON rensou.records FOR EACH ROW WHEN ((new.content <> old.content)) EXECUTE FUNCTION rensou.records_drop_derived();

CREATE TRIGGER records_drop_retired AFTER UPDATE ON rensou.records FOR EACH ROW WHEN (((old.retired_at IS NOT NULL) AND (new.content <> old.content))) EXECUTE FUNCTION rensou.records_drop_retired();

CREATE TRIGGER records_keep_former_text AFTER UPDATE ON rensou.records FOR EACH ROW WHEN ((new.content <> old.content)) EXECUTE FUNCTION rensou.records_keep_former_text();

CREATE TRIGGER records_move_copies AFTER UPDATE OF project_id, channel, source_id, source_name, session_id, occurred_at ON rensou.records FOR EACH ROW WHEN (((((((new.project_id IS DISTINCT FROM old.project_id) OR (new.channel IS DISTINCT FROM old.channel)) OR (new.source_id IS DISTINCT FROM old.source_id)) OR (new.source_name IS DISTINCT FROM old.source_name)) OR (new.session_id IS DISTINCT FROM old.session_id)) OR (new.occurred_at IS DISTINCT FROM old.occurred_at))) EXECUTE FUNCTION rensou.records_move_copies();

CREATE TRIGGER records_retire AFTER UPDATE ON rensou.records FOR EACH ROW WHEN (((old.retired_at IS NULL) AND (new.retired_at IS NOT NULL))) EXECUTE FUNCTION rensou.records_move_aside();

CREATE TRIGGER records_unretire AFTER UPDATE ON rensou.records FOR EACH ROW WHEN (((old.retired_at IS NOT NULL) AND (new.retired_at IS NULL))) EXECUTE FUNCTION rensou.records_move_back();

CREATE TRIGGER records_zz_describe_content BEFORE UPDATE ON rensou.records FOR EACH ROW WHEN (((new.content <> old.content) OR (new.content_sha256 IS DISTINCT FROM old.content_sha256) OR (new.content_chars IS DISTINCT FROM old.content_chars))) EXECUTE FUNCTION rensou.records_describe_content();

CREATE TRIGGER relations_add_edges AFTER INSERT ON rensou.relations FOR EACH ROW WHEN (((new.subject_entity IS NOT NULL) AND (new.object_entity IS NOT NULL))) EXECUTE FUNCTION rensou.relations_keep_edges();

CREATE TRIGGER relations_drop_edges AFTER DELETE ON rensou.relations FOR EACH ROW WHEN (((old.subject_entity IS NOT NULL) AND (old.object_entity IS NOT NULL))) EXECUTE FUNCTION rensou.relations_keep_edges();

CREATE TRIGGER relations_keep_history BEFORE DELETE ON rensou.relations FOR EACH ROW EXECUTE FUNCTION rensou.relations_keep_history();

ALTER TABLE ONLY rensou.ann_agents
    ADD CONSTRAINT ann_agents_model_id_fkey FOREIGN KEY (model_id) REFERENCES rensou.embedding_models(id);

ALTER TABLE ONLY rensou.entity_aliases
    ADD CONSTRAINT entity_aliases_agent_id_entity_id_project_id_channel_fkey FOREIGN KEY (agent_id, entity_id, project_id, channel) REFERENCES rensou.entities(agent_id, id, project_id, channel) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.entity_edges
    ADD CONSTRAINT entity_edges_agent_id_from_entity_fkey FOREIGN KEY (agent_id, from_entity) REFERENCES rensou.entities(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.entity_edges
    ADD CONSTRAINT entity_edges_agent_id_to_entity_fkey FOREIGN KEY (agent_id, to_entity) REFERENCES rensou.entities(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.entity_edges
    ADD CONSTRAINT entity_edges_relation_fkey FOREIGN KEY (agent_id, relation_id) REFERENCES rensou.relations(agent_id, id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY rensou.entity_mentions
    ADD CONSTRAINT entity_mentions_agent_id_entity_id_fkey FOREIGN KEY (agent_id, entity_id) REFERENCES rensou.entities(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.entity_mentions
    ADD CONSTRAINT entity_mentions_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.former_certainties
    ADD CONSTRAINT former_certainties_agent_id_relation_id_fkey FOREIGN KEY (agent_id, relation_id) REFERENCES rensou.relations(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.mention_history
    ADD CONSTRAINT mention_history_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.node_builds
    ADD CONSTRAINT node_builds_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.node_builds
    ADD CONSTRAINT node_builds_model_id_fkey FOREIGN KEY (model_id) REFERENCES rensou.embedding_models(id);

ALTER TABLE ONLY rensou.record_caller_ids
    ADD CONSTRAINT record_caller_ids_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_nodes
    ADD CONSTRAINT record_nodes_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_nodes
    ADD CONSTRAINT record_nodes_model_id_dimensions_fkey FOREIGN KEY (model_id, dimensions) REFERENCES rensou.embedding_models(id, dimensions);

ALTER TABLE ONLY rensou.record_retirements
    ADD CONSTRAINT record_retirements_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_revisions
    ADD CONSTRAINT record_revisions_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_terms
    ADD CONSTRAINT record_terms_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_vectors
    ADD CONSTRAINT record_vectors_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_vectors
    ADD CONSTRAINT record_vectors_model_id_dimensions_fkey FOREIGN KEY (model_id, dimensions) REFERENCES rensou.embedding_models(id, dimensions);

ALTER TABLE ONLY rensou.relation_history
    ADD CONSTRAINT relation_history_agent_id_anchor_record_fkey FOREIGN KEY (agent_id, anchor_record) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.relation_history
    ADD CONSTRAINT relation_history_agent_id_object_record_fkey FOREIGN KEY (agent_id, object_record) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.relation_history
    ADD CONSTRAINT relation_history_agent_id_subject_record_fkey FOREIGN KEY (agent_id, subject_record) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_agent_id_anchor_record_fkey FOREIGN KEY (agent_id, anchor_record) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_agent_id_object_entity_fkey FOREIGN KEY (agent_id, object_entity) REFERENCES rensou.entities(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_agent_id_object_record_fkey FOREIGN KEY (agent_id, object_record) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_agent_id_subject_entity_fkey FOREIGN KEY (agent_id, subject_entity) REFERENCES rensou.entities(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_agent_id_subject_record_fkey FOREIGN KEY (agent_id, subject_record) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.retired_caller_ids
    ADD CONSTRAINT retired_caller_ids_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.retired_terms
    ADD CONSTRAINT retired_terms_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.retired_vectors
    ADD CONSTRAINT retired_vectors_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.retired_vectors
    ADD CONSTRAINT retired_vectors_model_id_dimensions_fkey FOREIGN KEY (model_id, dimensions) REFERENCES rensou.embedding_models(id, dimensions);

ALTER TABLE ONLY rensou.revision_terms
    ADD CONSTRAINT revision_terms_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.revision_vectors
    ADD CONSTRAINT revision_vectors_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.revision_vectors
    ADD CONSTRAINT revision_vectors_model_id_fkey FOREIGN KEY (model_id) REFERENCES rensou.embedding_models(id);

ALTER TABLE ONLY rensou.unrelated_questions
    ADD CONSTRAINT unrelated_questions_model_id_fkey FOREIGN KEY (model_id) REFERENCES rensou.embedding_models(id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.use_reports
    ADD CONSTRAINT use_reports_agent_id_recall_id_fkey FOREIGN KEY (agent_id, recall_id) REFERENCES rensou.recall_log(agent_id, recall_id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.use_reports
    ADD CONSTRAINT use_reports_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.validity_assertions
    ADD CONSTRAINT validity_assertions_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.validity_assertions
    ADD CONSTRAINT validity_assertions_agent_id_relation_id_fkey FOREIGN KEY (agent_id, relation_id) REFERENCES rensou.relations(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.validity_history
    ADD CONSTRAINT validity_history_agent_id_relation_id_fkey FOREIGN KEY (agent_id, relation_id) REFERENCES rensou.relation_history(agent_id, id) ON DELETE CASCADE;

CREATE POLICY agent_wall ON rensou.alias_history USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.ann_agents USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.entities USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.entity_aliases USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.entity_edges USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.entity_history USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.entity_mentions USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.former_certainties USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.mention_history USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.node_builds TO rensou_recall USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.recall_log USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_caller_ids USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_nodes USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_retirements USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_revisions USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_terms USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_vectors USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.records USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.relation_history USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.relations USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.retention_policies USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.retired_caller_ids USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.retired_terms USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.retired_vectors USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.revision_terms USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.revision_vectors USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.scope_counts USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.term_deltas USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.term_frequencies USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.use_reports USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.validity_assertions USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.validity_history USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

ALTER TABLE rensou.alias_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.ann_agents ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.entities ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.entity_aliases ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.entity_edges ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.entity_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.entity_mentions ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.former_certainties ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.mention_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.node_builds ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.recall_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_caller_ids ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_nodes ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_retirements ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_revisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.records ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.relation_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.relations ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.retention_policies ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.retired_caller_ids ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.retired_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.retired_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.revision_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.revision_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.scope_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.term_deltas ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.term_frequencies ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.use_reports ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.validity_assertions ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.validity_history ENABLE ROW LEVEL SECURITY;

CREATE POLICY worker_takes_all ON rensou.node_builds TO rensou_worker USING (true) WITH CHECK (true);

GRANT USAGE ON SCHEMA rensou TO rensou_recall;
GRANT USAGE ON SCHEMA rensou TO rensou_worker;

GRANT USAGE ON SCHEMA rensou_known TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.activate_embedding_model_v1(p_fingerprint text, p_divider_version integer, p_allow_incomplete boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.activate_embedding_model_v1(p_fingerprint text, p_divider_version integer, p_allow_incomplete boolean) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.agents_with_term_deltas_v1(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.agents_with_term_deltas_v1(p_limit integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.ann_agents_to_tend_v1(p_ann_above bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.ann_agents_to_tend_v1(p_ann_above bigint) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.ann_enter_v1(p_model_id integer, p_least_share double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.ann_enter_v1(p_model_id integer, p_least_share double precision) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.ann_lane_v1(p_model_id integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.ann_lanes_v1(p_model_id integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.ann_standing_v1(p_model_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.ann_standing_v1(p_model_id integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.arm_ann_v1(p_query public.halfvec, p_model_id integer, p_lane smallint, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.arm_cue_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_start timestamp with time zone, p_end timestamp with time zone, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.arm_cue_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_start timestamp with time zone, p_end timestamp with time zone, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.arm_exact_v1(p_query public.halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.arm_lexical_v1(p_weights public.sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.arm_retired_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.arm_retired_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_most integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.builds_summary_v1(p_agents text[], p_first_agent text, p_last_agent text) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.builds_summary_v1(p_agents text[], p_first_agent text, p_last_agent text) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) TO rensou_recall;
GRANT ALL ON FUNCTION rensou.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.embedding_models_v1(p_divider_version integer, p_model_id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.embedding_models_v1(p_divider_version integer, p_model_id integer) TO rensou_recall;
GRANT ALL ON FUNCTION rensou.embedding_models_v1(p_divider_version integer, p_model_id integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.gate_words_v1(p_words bigint[], p_records bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.gate_words_v1(p_words bigint[], p_records bigint[]) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.lacking_under_v1(p_model_id integer, p_token_window integer, p_divider_version integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.list_builds_v1(p_agents text[], p_last_agent text, p_state text, p_after_agent text, p_after_id bigint, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.list_builds_v1(p_agents text[], p_last_agent text, p_state text, p_after_agent text, p_after_id bigint, p_limit integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.pending_builds_v1(p_cap bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.pending_builds_v1(p_cap bigint) TO rensou_recall;
GRANT ALL ON FUNCTION rensou.pending_builds_v1(p_cap bigint) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.readable_records_v1(p_project text) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.record_terms_stay_aside() FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.record_vectors_stay_aside() FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.records_drop_retired() FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.records_lacking_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_after_agent text, p_after_record bigint, p_look integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.records_lacking_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_after_agent text, p_after_record bigint, p_look integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.records_move_aside() FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.records_move_back() FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.records_to_rebuild_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_after_agent text, p_after_record bigint, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.records_to_rebuild_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_after_agent text, p_after_record bigint, p_limit integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.register_building_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.register_building_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.register_embedding_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.register_embedding_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) TO rensou_recall;
GRANT ALL ON FUNCTION rensou.register_embedding_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.retry_builds_v1(p_agents text[], p_first_agent text, p_last_agent text, p_ids bigint[], p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.retry_builds_v1(p_agents text[], p_first_agent text, p_last_agent text, p_ids bigint[], p_limit integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.slot_weights_v1(p_slots integer[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.trim_recall_logs_v1(p_after text, p_agents integer, p_keep_s double precision, p_keep_rows integer, p_rows integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.trim_recall_logs_v1(p_after text, p_agents integer, p_keep_s double precision, p_keep_rows integer, p_rows integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou_known.ann_lane_v1(p_model_id integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou_known.arm_cue_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_start timestamp with time zone, p_end timestamp with time zone, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou_known.arm_cue_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_start timestamp with time zone, p_end timestamp with time zone, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou_known.arm_exact_v1(p_query public.halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou_known.arm_lexical_v1(p_weights public.sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou_known.arm_retired_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou_known.arm_retired_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_most integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou_known.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou_known.current_nodes_v1(p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer, p_divider_version integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou_known.gate_words_v1(p_words bigint[], p_records bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou_known.gate_words_v1(p_words bigint[], p_records bigint[]) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou_known.moment() FROM PUBLIC;
GRANT ALL ON FUNCTION rensou_known.moment() TO rensou_recall;

REVOKE ALL ON FUNCTION rensou_known.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou_known.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou_known.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou_known.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[], p_ann_above bigint) TO rensou_recall;

GRANT SELECT ON TABLE rensou.alias_history TO rensou_recall;

GRANT SELECT,DELETE,UPDATE ON TABLE rensou.ann_agents TO rensou_worker;

GRANT USAGE ON SEQUENCE rensou.build_ids TO rensou_recall;
GRANT USAGE ON SEQUENCE rensou.build_ids TO rensou_worker;

GRANT SELECT ON TABLE rensou.embedding_models TO rensou_recall;
GRANT SELECT ON TABLE rensou.embedding_models TO rensou_worker;

GRANT USAGE ON SEQUENCE rensou.entity_ids TO rensou_recall;

GRANT SELECT,INSERT,DELETE ON TABLE rensou.entities TO rensou_recall;

GRANT SELECT,INSERT ON TABLE rensou.entity_aliases TO rensou_recall;

GRANT SELECT ON TABLE rensou.entity_edges TO rensou_recall;

GRANT SELECT ON TABLE rensou.entity_history TO rensou_recall;

GRANT SELECT,INSERT,DELETE ON TABLE rensou.entity_mentions TO rensou_recall;

GRANT USAGE ON SEQUENCE rensou.former_certainty_ids TO rensou_recall;

GRANT SELECT,INSERT ON TABLE rensou.former_certainties TO rensou_recall;

GRANT SELECT ON TABLE rensou.mention_history TO rensou_recall;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.node_builds TO rensou_recall;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.node_builds TO rensou_worker;

GRANT SELECT,INSERT ON TABLE rensou.recall_log TO rensou_recall;

GRANT UPDATE(degraded) ON TABLE rensou.recall_log TO rensou_recall;

GRANT SELECT,INSERT ON TABLE rensou.record_caller_ids TO rensou_recall;

GRANT USAGE ON SEQUENCE rensou.record_ids TO rensou_recall;

GRANT SELECT ON TABLE rensou.record_nodes TO rensou_recall;
GRANT SELECT,INSERT,DELETE ON TABLE rensou.record_nodes TO rensou_worker;

GRANT USAGE ON SEQUENCE rensou.retirement_ids TO rensou_recall;

GRANT SELECT,INSERT ON TABLE rensou.record_retirements TO rensou_recall;

GRANT UPDATE(restored_by) ON TABLE rensou.record_retirements TO rensou_recall;

GRANT UPDATE(restored_at) ON TABLE rensou.record_retirements TO rensou_recall;

GRANT SELECT ON TABLE rensou.record_revisions TO rensou_recall;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.record_terms TO rensou_recall;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.record_terms TO rensou_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.record_vectors TO rensou_recall;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.record_vectors TO rensou_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.records TO rensou_recall;
GRANT SELECT ON TABLE rensou.records TO rensou_worker;

GRANT UPDATE(locked) ON TABLE rensou.records TO rensou_worker;

GRANT SELECT ON TABLE rensou.relation_history TO rensou_recall;

GRANT USAGE ON SEQUENCE rensou.relation_ids TO rensou_recall;

GRANT SELECT,INSERT,DELETE ON TABLE rensou.relations TO rensou_recall;

GRANT UPDATE(certainty) ON TABLE rensou.relations TO rensou_recall;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.retention_policies TO rensou_recall;

GRANT SELECT ON TABLE rensou.retired_caller_ids TO rensou_recall;

GRANT SELECT ON TABLE rensou.retired_terms TO rensou_recall;

GRANT SELECT ON TABLE rensou.retired_vectors TO rensou_recall;

GRANT SELECT ON TABLE rensou.revision_terms TO rensou_recall;

GRANT SELECT ON TABLE rensou.revision_vectors TO rensou_recall;

GRANT SELECT ON TABLE rensou.schema_migrations TO rensou_recall;
GRANT SELECT ON TABLE rensou.schema_migrations TO rensou_worker;

GRANT SELECT ON TABLE rensou.scope_counts TO rensou_recall;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.scope_counts TO rensou_worker;

GRANT SELECT,DELETE ON TABLE rensou.term_deltas TO rensou_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.term_frequencies TO rensou_worker;

GRANT SELECT,INSERT ON TABLE rensou.unrelated_questions TO rensou_recall;

GRANT SELECT,INSERT,UPDATE ON TABLE rensou.use_reports TO rensou_recall;

GRANT USAGE ON SEQUENCE rensou.validity_ids TO rensou_recall;

GRANT SELECT,INSERT ON TABLE rensou.validity_assertions TO rensou_recall;

GRANT UPDATE(superseded_at) ON TABLE rensou.validity_assertions TO rensou_recall;

GRANT SELECT ON TABLE rensou.validity_history TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.entities TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.entity_aliases TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.relations TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.entity_edges TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.entity_mentions TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.former_texts TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.record_nodes TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.record_terms TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.record_vectors TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.records TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.retired_terms TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.retired_vectors TO rensou_recall;

GRANT SELECT ON TABLE rensou_known.validity_assertions TO rensou_recall;
