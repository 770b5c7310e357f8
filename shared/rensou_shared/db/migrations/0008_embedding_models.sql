-- migrate:up

-- Two models side by side: the active one, which questions are compared under, and the one that is being built.
ALTER TABLE rensou.embedding_models ADD COLUMN served_at timestamptz;
COMMENT ON COLUMN rensou.embedding_models.served_at IS 'when a worker last met a server of the model that is built';
CREATE UNIQUE INDEX embedding_models_one_building ON rensou.embedding_models (state) WHERE state = 'building';

ALTER TABLE rensou.record_nodes DROP CONSTRAINT record_nodes_pkey;
ALTER TABLE rensou.record_nodes ADD PRIMARY KEY (agent_id, record_id, model_id, node_index);

-- A rebuild is asked for a model that answers no question yet: it waits behind everything else.
ALTER TABLE rensou.node_builds ADD COLUMN rebuild boolean NOT NULL DEFAULT false;
DROP INDEX rensou.node_builds_due;
CREATE INDEX node_builds_due ON rensou.node_builds (rebuild, next_at, id) WHERE state = 'pending' AND crashes = 0;

-- The model of the server that an operator put beside the present one: it is built from now on, whatever it was, and no
-- other is. The active one stays active. Without an active one nothing is built: the first model is the main server's.
-- in: what the server says of itself. out: state of the model, no row when there is no active one.
CREATE FUNCTION rensou.register_building_model_v1(
  p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer
) RETURNS TABLE (state text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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

-- What lacks its vector or its nodes under a model; a retired record lacks nothing. Inlined into the functions below, and nobody else's to call.
CREATE FUNCTION rensou.lacking_under_v1(
  p_model_id integer, p_token_window integer, p_divider_version integer
) RETURNS TABLE (agent_id text, record_id bigint, content_sha256 bytea)
LANGUAGE sql STABLE AS $$
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

-- The models with how many records of all agents each lacks: a count and no more. For an operator's call of the recall
-- service, and for the reconciler's gauge. in: divider version, one model or NULL (all).
CREATE FUNCTION rensou.embedding_models_v1(p_divider_version integer, p_model_id integer DEFAULT NULL)
RETURNS TABLE (
  id integer, fingerprint text, name text, dimensions integer, token_window integer, state text, created_at timestamptz,
  records bigint, lacking bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
  WITH total AS MATERIALIZED (SELECT count(*) AS records FROM records r WHERE r.retired_at IS NULL)
  SELECT m.id, m.fingerprint, m.name, m.dimensions, m.token_window, m.state, m.created_at, t.records,
         (SELECT count(*) FROM lacking_under_v1(m.id, m.token_window, p_divider_version) l)
  FROM embedding_models m
  CROSS JOIN total t
  WHERE p_model_id IS NULL OR m.id = p_model_id
$$;

-- Makes a model the active one. The former one is retired and keeps its vectors. Its counts are of all agents.
-- in: fingerprint, divider version, whether it may lack records. out: fingerprint of the model that was active (the same
-- when it was this one), how many records it lacks, whether it was made the active one; no row when there is none such.
CREATE FUNCTION rensou.activate_embedding_model_v1(
  p_fingerprint text, p_divider_version integer, p_allow_incomplete boolean
) RETURNS TABLE (former_fingerprint text, lacking bigint, activated boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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

-- Records that lack their vector or nodes under the model that is built, from a place on in the order of agent and id,
-- and have no build of it waiting, or condemned under this window and divider. in: model, its window, divider version,
-- place, rows wanted. The settings hold the plan to the order of the keys: whatever the limit, another one reads and
-- sorts all records first.
CREATE FUNCTION rensou.records_to_rebuild_v1(
  p_model_id integer, p_token_window integer, p_divider_version integer, p_after_agent text, p_after_record bigint,
  p_limit integer
) RETURNS TABLE (agent_id text, record_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
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

-- A look at the p_look records behind a place in the order of agent and id: which of them lack something under the
-- active model and have no build waiting, or condemned under its window and divider: a second look behind the outbox. A
-- build of another model says nothing about this one; one of no model is for whichever is active. in: model, its window,
-- divider and terms versions, place, records to look at. out: agent, record, what it lacks; the last record looked at
-- always, with NULL when it lacks nothing; no row behind the last record of all. The settings hold the plan to the keys,
-- so that a look costs the same however many records there are.
CREATE FUNCTION rensou.records_lacking_v1(
  p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_after_agent text,
  p_after_record bigint, p_look integer
) RETURNS TABLE (agent_id text, record_id bigint, reason text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
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

REVOKE ALL ON FUNCTION rensou.register_building_model_v1, rensou.lacking_under_v1, rensou.embedding_models_v1,
  rensou.activate_embedding_model_v1, rensou.records_to_rebuild_v1, rensou.records_lacking_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.embedding_models_v1 TO rensou_recall, rensou_worker;
GRANT EXECUTE ON FUNCTION rensou.activate_embedding_model_v1 TO rensou_recall;
GRANT EXECUTE ON FUNCTION rensou.register_building_model_v1, rensou.records_to_rebuild_v1, rensou.records_lacking_v1
  TO rensou_worker;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
