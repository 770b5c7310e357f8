CREATE SCHEMA rensou;

ALTER SCHEMA rensou OWNER TO rensou_owner;

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

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

ALTER FUNCTION rensou.arm_exact_v1(p_query public.halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.arm_lexical_v1(p_weights public.sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) RETURNS TABLE(record_id bigint, bm25 double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
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

CREATE FUNCTION rensou.gate_words_v1(p_words bigint[], p_records bigint[]) RETURNS TABLE(record_id bigint, share double precision)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
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

CREATE FUNCTION rensou.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[]) RETURNS TABLE(record_id bigint, cosine double precision, vector_rank integer, bm25 double precision, lexical_rank integer, trigrams double precision, context double precision, project_id text, channel text, session_id text, occurred_at timestamp with time zone, traits smallint)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
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

ALTER FUNCTION rensou.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[]) OWNER TO rensou_owner;

CREATE FUNCTION rensou.record_terms_count() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP IN ('DELETE', 'UPDATE') THEN
    INSERT INTO term_deltas (agent_id, delta, slots)
    VALUES (OLD.agent_id, -1, sparse_slots(OLD.words) || sparse_slots(OLD.trigrams));
  END IF;
  IF TG_OP IN ('INSERT', 'UPDATE') THEN
    INSERT INTO term_deltas (agent_id, delta, slots)
    VALUES (NEW.agent_id, 1, sparse_slots(NEW.words) || sparse_slots(NEW.trigrams));
  END IF;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.record_terms_count() OWNER TO rensou_owner;

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
  INSERT INTO node_builds (agent_id, record_id, content_sha256, divider_version)
  VALUES (NEW.agent_id, NEW.id, NEW.content_sha256, 1)
  ON CONFLICT ON CONSTRAINT node_builds_once DO UPDATE
  SET state = 'pending', errors = 0, crashes = 0, next_at = clock_timestamp(), lease_token = NULL, lease_until = NULL,
      hinted_at = NULL, last_error = NULL, created_at = clock_timestamp(), finished_at = NULL;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_drop_derived() OWNER TO rensou_owner;

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

CREATE FUNCTION rensou.records_lacking_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_limit integer) RETURNS TABLE(agent_id text, record_id bigint, content_sha256 bytea, reason text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
  SELECT r.agent_id, r.id, r.content_sha256,
         CASE WHEN t.record_id IS NULL THEN 'terms' WHEN v.record_id IS NULL THEN 'vector' ELSE 'nodes' END
  FROM records r
  LEFT JOIN record_terms t
    ON t.agent_id = r.agent_id AND t.record_id = r.id AND t.terms_version = p_terms_version
  LEFT JOIN record_vectors v
    ON v.agent_id = r.agent_id AND v.record_id = r.id AND v.model_id = p_model_id
  WHERE (
      t.record_id IS NULL
      OR v.record_id IS NULL
      OR (v.token_count > p_token_window AND NOT EXISTS (
        SELECT FROM record_nodes n
        WHERE n.agent_id = r.agent_id AND n.record_id = r.id AND n.model_id = p_model_id
          AND n.token_window = p_token_window AND n.divider_version = p_divider_version
      ))
    )
    AND NOT EXISTS (
      SELECT FROM node_builds b
      WHERE b.agent_id = r.agent_id AND b.record_id = r.id AND b.content_sha256 = r.content_sha256
        AND b.state IN ('pending', 'running', 'dead')
    )
  ORDER BY r.agent_id, r.id
  LIMIT p_limit
$$;

ALTER FUNCTION rensou.records_lacking_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_limit integer) OWNER TO rensou_owner;

CREATE FUNCTION rensou.records_move_copies() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'rensou', 'public', 'pg_temp'
    AS $$
BEGIN
  UPDATE record_vectors v SET project_id = NEW.project_id, channel = NEW.channel, source_id = NEW.source_id
  WHERE v.agent_id = NEW.agent_id AND v.record_id = NEW.id;
  UPDATE record_terms t
  SET project_id = NEW.project_id, channel = NEW.channel, source_id = NEW.source_id, session_id = NEW.session_id,
      occurred_at = coalesce(NEW.occurred_at, '-infinity')
  WHERE t.agent_id = NEW.agent_id AND t.record_id = NEW.id;
  RETURN NULL;
END
$$;

ALTER FUNCTION rensou.records_move_copies() OWNER TO rensou_owner;

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
  PERFORM FROM entity_edges e
  WHERE e.agent_id = OLD.agent_id AND e.project_id = OLD.project_id AND e.channel = OLD.channel
    AND (e.from_entity, e.to_entity) IN
        ((OLD.subject_entity, OLD.object_entity), (OLD.object_entity, OLD.subject_entity))
  ORDER BY e.from_entity
  FOR UPDATE;
  DELETE FROM entity_edges e
  WHERE e.agent_id = OLD.agent_id AND e.project_id = OLD.project_id AND e.channel = OLD.channel
    AND (e.from_entity, e.to_entity) IN
        ((OLD.subject_entity, OLD.object_entity), (OLD.object_entity, OLD.subject_entity))
    AND e.relation_id = OLD.id;
  INSERT INTO entity_edges (agent_id, project_id, channel, from_entity, to_entity, relation_id, declared_at)
  SELECT n.agent_id, n.project_id, n.channel, x.a, x.b, n.id, n.declared_at
  FROM (
    SELECT r.*
    FROM relations r
    WHERE r.agent_id = OLD.agent_id AND r.project_id = OLD.project_id AND r.channel = OLD.channel
      AND (r.subject_entity, r.object_entity) IN
          ((OLD.subject_entity, OLD.object_entity), (OLD.object_entity, OLD.subject_entity))
    ORDER BY r.declared_at DESC, r.id
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

CREATE FUNCTION rensou.slot_weights_v1(p_slots integer[]) RETURNS TABLE(slot integer, records bigint, idf real)
    LANGUAGE sql STABLE SECURITY DEFINER PARALLEL SAFE
    SET search_path TO 'rensou', 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
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
    CONSTRAINT embedding_models_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 4000))),
    CONSTRAINT embedding_models_state_check CHECK ((state = ANY (ARRAY['building'::text, 'active'::text, 'retired'::text]))),
    CONSTRAINT embedding_models_token_window_check CHECK ((token_window > 0))
);

ALTER TABLE rensou.embedding_models OWNER TO rensou_owner;

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

CREATE TABLE rensou.entity_mentions (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    entity_id bigint NOT NULL,
    record_id bigint NOT NULL,
    declared_by text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT entity_mentions_declared_by_check CHECK ((declared_by = ANY (ARRAY['agent'::text, 'operator'::text])))
);

ALTER TABLE rensou.entity_mentions OWNER TO rensou_owner;

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
    CONSTRAINT node_builds_check CHECK (((state = 'running'::text) = ((lease_token IS NOT NULL) AND (lease_until IS NOT NULL)))),
    CONSTRAINT node_builds_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text, 'superseded'::text, 'dead'::text])))
);

ALTER TABLE rensou.node_builds OWNER TO rensou_owner;

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
    traits smallint DEFAULT 0 NOT NULL
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
    CONSTRAINT records_agent_id_check CHECK (((agent_id <> ''::text) AND (octet_length(agent_id) <= 128))),
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
    CONSTRAINT relations_check CHECK ((num_nonnulls(subject_entity, subject_record) = 1)),
    CONSTRAINT relations_check1 CHECK ((num_nonnulls(object_entity, object_record) = 1)),
    CONSTRAINT relations_check2 CHECK (((subject_entity IS DISTINCT FROM object_entity) OR (subject_entity IS NULL))),
    CONSTRAINT relations_check3 CHECK (((subject_record IS DISTINCT FROM object_record) OR (subject_record IS NULL))),
    CONSTRAINT relations_declared_by_check CHECK ((declared_by = ANY (ARRAY['agent'::text, 'operator'::text]))),
    CONSTRAINT relations_normalized_predicate_check CHECK ((normalized_predicate <> ''::text))
);

ALTER TABLE rensou.relations OWNER TO rensou_owner;

CREATE TABLE rensou.schema_migrations (
    version character varying NOT NULL
);

ALTER TABLE rensou.schema_migrations OWNER TO rensou_owner;

CREATE TABLE rensou.scope_counts (
    agent_id text NOT NULL COLLATE pg_catalog."C",
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

ALTER TABLE ONLY rensou.entity_mentions
    ADD CONSTRAINT entity_mentions_pkey PRIMARY KEY (agent_id, entity_id, record_id);

ALTER TABLE ONLY rensou.node_builds
    ADD CONSTRAINT node_builds_once UNIQUE NULLS NOT DISTINCT (agent_id, record_id, content_sha256, model_id, token_window, divider_version);

ALTER TABLE ONLY rensou.node_builds
    ADD CONSTRAINT node_builds_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.record_caller_ids
    ADD CONSTRAINT record_caller_ids_pkey PRIMARY KEY (agent_id, project_id, channel, caller_id);

ALTER TABLE ONLY rensou.record_nodes
    ADD CONSTRAINT record_nodes_pkey PRIMARY KEY (agent_id, record_id, node_index);

ALTER TABLE ONLY rensou.record_revisions
    ADD CONSTRAINT record_revisions_pkey PRIMARY KEY (agent_id, record_id, revision);

ALTER TABLE ONLY rensou.record_terms
    ADD CONSTRAINT record_terms_pkey PRIMARY KEY (agent_id, record_id);

ALTER TABLE ONLY rensou.record_vectors
    ADD CONSTRAINT record_vectors_pkey PRIMARY KEY (agent_id, record_id, model_id);

ALTER TABLE ONLY rensou.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.records
    ADD CONSTRAINT records_same_content UNIQUE NULLS NOT DISTINCT (agent_id, kind, project_id, channel, source_type, source_id, session_id, occurred_at, ended_at, content_sha256);

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_once UNIQUE NULLS NOT DISTINCT (agent_id, project_id, channel, subject_entity, subject_record, normalized_predicate, object_entity, object_record, anchor_record);

ALTER TABLE ONLY rensou.relations
    ADD CONSTRAINT relations_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

ALTER TABLE ONLY rensou.scope_counts
    ADD CONSTRAINT scope_counts_pkey PRIMARY KEY (agent_id);

ALTER TABLE ONLY rensou.term_deltas
    ADD CONSTRAINT term_deltas_pkey PRIMARY KEY (agent_id, id);

ALTER TABLE ONLY rensou.term_frequencies
    ADD CONSTRAINT term_frequencies_pkey PRIMARY KEY (agent_id, slot);

ALTER TABLE ONLY rensou.unrelated_questions
    ADD CONSTRAINT unrelated_questions_pkey PRIMARY KEY (model_id, questions_version, script, "position");

CREATE UNIQUE INDEX embedding_models_one_active ON rensou.embedding_models USING btree (state) WHERE (state = 'active'::text);

CREATE INDEX entity_aliases_entity ON rensou.entity_aliases USING btree (agent_id, entity_id);

CREATE INDEX entity_aliases_normalized ON rensou.entity_aliases USING btree (agent_id, normalized);

CREATE INDEX entity_edges_newest ON rensou.entity_edges USING btree (agent_id, from_entity, declared_at DESC, relation_id) INCLUDE (to_entity, project_id, channel);

CREATE INDEX entity_edges_to ON rensou.entity_edges USING btree (agent_id, to_entity, from_entity);

CREATE INDEX entity_mentions_record ON rensou.entity_mentions USING btree (agent_id, record_id);

CREATE INDEX node_builds_dead ON rensou.node_builds USING btree (agent_id) WHERE (state = 'dead'::text);

CREATE INDEX node_builds_due ON rensou.node_builds USING btree (next_at, id) WHERE ((state = 'pending'::text) AND (crashes = 0));

CREATE INDEX node_builds_finished ON rensou.node_builds USING btree (finished_at) WHERE (state = ANY (ARRAY['done'::text, 'superseded'::text]));

CREATE INDEX node_builds_leased ON rensou.node_builds USING btree (lease_until) WHERE (state = 'running'::text);

CREATE INDEX node_builds_quarantined ON rensou.node_builds USING btree (next_at, id) WHERE ((state = 'pending'::text) AND (crashes > 0));

CREATE INDEX record_caller_ids_record ON rensou.record_caller_ids USING btree (agent_id, record_id);

CREATE INDEX record_terms_hashes ON rensou.record_terms USING gin (hashes) WITH (fastupdate='on', gin_pending_list_limit='1024');

CREATE INDEX record_terms_session ON rensou.record_terms USING btree (agent_id, session_id, project_id, channel, occurred_at, record_id) WHERE (session_id <> ''::text);

CREATE INDEX record_vectors_covering ON rensou.record_vectors USING btree (agent_id, model_id) INCLUDE (record_id, project_id, channel, source_id, embedding) WHERE covered;

CREATE INDEX record_vectors_wide ON rensou.record_vectors USING btree (agent_id, model_id) WHERE (NOT covered);

CREATE INDEX records_sample ON rensou.records USING btree (agent_id, content_sha256, id);

CREATE INDEX relations_anchor_record ON rensou.relations USING btree (agent_id, anchor_record) WHERE (anchor_record IS NOT NULL);

CREATE INDEX relations_object_entity ON rensou.relations USING btree (agent_id, object_entity, subject_entity) WHERE (object_entity IS NOT NULL);

CREATE INDEX relations_object_record ON rensou.relations USING btree (agent_id, object_record) WHERE (object_record IS NOT NULL);

CREATE INDEX relations_subject_entity ON rensou.relations USING btree (agent_id, subject_entity, object_entity) WHERE (subject_entity IS NOT NULL);

CREATE INDEX relations_subject_record ON rensou.relations USING btree (agent_id, subject_record) WHERE (subject_record IS NOT NULL);

CREATE TRIGGER record_terms_count AFTER INSERT OR DELETE OR UPDATE OF words, trigrams ON rensou.record_terms FOR EACH ROW EXECUTE FUNCTION rensou.record_terms_count();

CREATE TRIGGER records_describe_content BEFORE INSERT OR UPDATE OF content ON rensou.records FOR EACH ROW EXECUTE FUNCTION rensou.records_describe_content();

CREATE TRIGGER records_drop_derived AFTER UPDATE OF content ON rensou.records FOR EACH ROW WHEN ((new.content <> old.content)) EXECUTE FUNCTION rensou.records_drop_derived();

CREATE TRIGGER records_keep_former_text AFTER UPDATE OF content ON rensou.records FOR EACH ROW WHEN ((new.content <> old.content)) EXECUTE FUNCTION rensou.records_keep_former_text();

CREATE TRIGGER records_move_copies AFTER UPDATE OF project_id, channel, source_id, session_id, occurred_at ON rensou.records FOR EACH ROW WHEN ((((((new.project_id IS DISTINCT FROM old.project_id) OR (new.channel IS DISTINCT FROM old.channel)) OR (new.source_id IS DISTINCT FROM old.source_id)) OR (new.session_id IS DISTINCT FROM old.session_id)) OR (new.occurred_at IS DISTINCT FROM old.occurred_at))) EXECUTE FUNCTION rensou.records_move_copies();

CREATE TRIGGER relations_add_edges AFTER INSERT ON rensou.relations FOR EACH ROW WHEN (((new.subject_entity IS NOT NULL) AND (new.object_entity IS NOT NULL))) EXECUTE FUNCTION rensou.relations_keep_edges();

CREATE TRIGGER relations_drop_edges AFTER DELETE ON rensou.relations FOR EACH ROW WHEN (((old.subject_entity IS NOT NULL) AND (old.object_entity IS NOT NULL))) EXECUTE FUNCTION rensou.relations_keep_edges();

ALTER TABLE ONLY rensou.entity_aliases
    ADD CONSTRAINT entity_aliases_agent_id_entity_id_project_id_channel_fkey FOREIGN KEY (agent_id, entity_id, project_id, channel) REFERENCES rensou.entities(agent_id, id, project_id, channel) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.entity_edges
    ADD CONSTRAINT entity_edges_agent_id_from_entity_fkey FOREIGN KEY (agent_id, from_entity) REFERENCES rensou.entities(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.entity_edges
    ADD CONSTRAINT entity_edges_agent_id_to_entity_fkey FOREIGN KEY (agent_id, to_entity) REFERENCES rensou.entities(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.entity_mentions
    ADD CONSTRAINT entity_mentions_agent_id_entity_id_fkey FOREIGN KEY (agent_id, entity_id) REFERENCES rensou.entities(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.entity_mentions
    ADD CONSTRAINT entity_mentions_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

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

ALTER TABLE ONLY rensou.record_revisions
    ADD CONSTRAINT record_revisions_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_terms
    ADD CONSTRAINT record_terms_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_vectors
    ADD CONSTRAINT record_vectors_agent_id_record_id_fkey FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records(agent_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY rensou.record_vectors
    ADD CONSTRAINT record_vectors_model_id_dimensions_fkey FOREIGN KEY (model_id, dimensions) REFERENCES rensou.embedding_models(id, dimensions);

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

ALTER TABLE ONLY rensou.unrelated_questions
    ADD CONSTRAINT unrelated_questions_model_id_fkey FOREIGN KEY (model_id) REFERENCES rensou.embedding_models(id) ON DELETE CASCADE;

CREATE POLICY agent_wall ON rensou.entities USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.entity_aliases USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.entity_edges USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.entity_mentions USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.node_builds TO rensou_recall USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_caller_ids USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_nodes USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_revisions USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_terms USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.record_vectors USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.records USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.relations USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.scope_counts USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.term_deltas USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

CREATE POLICY agent_wall ON rensou.term_frequencies USING ((agent_id = current_setting('rensou.agent_id'::text, true))) WITH CHECK ((agent_id = current_setting('rensou.agent_id'::text, true)));

ALTER TABLE rensou.entities ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.entity_aliases ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.entity_edges ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.entity_mentions ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.node_builds ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_caller_ids ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_nodes ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_revisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.record_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.records ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.relations ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.scope_counts ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.term_deltas ENABLE ROW LEVEL SECURITY;

ALTER TABLE rensou.term_frequencies ENABLE ROW LEVEL SECURITY;

CREATE POLICY worker_takes_all ON rensou.node_builds TO rensou_worker USING (true) WITH CHECK (true);

GRANT USAGE ON SCHEMA rensou TO rensou_recall;
GRANT USAGE ON SCHEMA rensou TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.agents_with_term_deltas_v1(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.agents_with_term_deltas_v1(p_limit integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.arm_exact_v1(p_query public.halfvec, p_model_id integer, p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.arm_lexical_v1(p_weights public.sparsevec, p_hashes bigint[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION rensou.gate_words_v1(p_words bigint[], p_records bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.gate_words_v1(p_words bigint[], p_records bigint[]) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[]) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.recall_candidates_v1(p_query public.halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text, p_source text, p_source_prefix boolean, p_depth integer, p_context real[]) TO rensou_recall;

REVOKE ALL ON FUNCTION rensou.records_lacking_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.records_lacking_v1(p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_limit integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.register_embedding_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) FROM PUBLIC;
GRANT ALL ON FUNCTION rensou.register_embedding_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) TO rensou_recall;
GRANT ALL ON FUNCTION rensou.register_embedding_model_v1(p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer) TO rensou_worker;

REVOKE ALL ON FUNCTION rensou.slot_weights_v1(p_slots integer[]) FROM PUBLIC;

GRANT USAGE ON SEQUENCE rensou.build_ids TO rensou_recall;
GRANT USAGE ON SEQUENCE rensou.build_ids TO rensou_worker;

GRANT SELECT ON TABLE rensou.embedding_models TO rensou_recall;
GRANT SELECT ON TABLE rensou.embedding_models TO rensou_worker;

GRANT USAGE ON SEQUENCE rensou.entity_ids TO rensou_recall;

GRANT SELECT,INSERT ON TABLE rensou.entities TO rensou_recall;

GRANT SELECT,INSERT ON TABLE rensou.entity_aliases TO rensou_recall;

GRANT SELECT ON TABLE rensou.entity_edges TO rensou_recall;

GRANT SELECT,INSERT,DELETE ON TABLE rensou.entity_mentions TO rensou_recall;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.node_builds TO rensou_recall;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.node_builds TO rensou_worker;

GRANT SELECT,INSERT ON TABLE rensou.record_caller_ids TO rensou_recall;

GRANT USAGE ON SEQUENCE rensou.record_ids TO rensou_recall;

GRANT SELECT ON TABLE rensou.record_nodes TO rensou_recall;
GRANT SELECT,INSERT,DELETE ON TABLE rensou.record_nodes TO rensou_worker;

GRANT SELECT ON TABLE rensou.record_revisions TO rensou_recall;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.record_terms TO rensou_recall;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.record_terms TO rensou_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.record_vectors TO rensou_recall;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.record_vectors TO rensou_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.records TO rensou_recall;
GRANT SELECT ON TABLE rensou.records TO rensou_worker;

GRANT UPDATE(locked) ON TABLE rensou.records TO rensou_worker;

GRANT USAGE ON SEQUENCE rensou.relation_ids TO rensou_recall;

GRANT SELECT,INSERT,DELETE ON TABLE rensou.relations TO rensou_recall;

GRANT SELECT ON TABLE rensou.schema_migrations TO rensou_recall;
GRANT SELECT ON TABLE rensou.schema_migrations TO rensou_worker;

GRANT SELECT ON TABLE rensou.scope_counts TO rensou_recall;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.scope_counts TO rensou_worker;

GRANT SELECT,DELETE ON TABLE rensou.term_deltas TO rensou_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE rensou.term_frequencies TO rensou_worker;

GRANT SELECT,INSERT ON TABLE rensou.unrelated_questions TO rensou_recall;
