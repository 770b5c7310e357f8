-- migrate:up

-- Approximate search of agents that are past a number of records, in lanes: a lane of a model is one HNSW index over
-- the rows that name it, made by `rensou migrate model`, and holds few agents, since an index that holds many finds
-- mostly other agents' rows. A small agent's row names none and is in none. The worker moves agents in and out.
CREATE TABLE rensou.ann_agents (
  agent_id text COLLATE "C" NOT NULL,
  model_id integer NOT NULL REFERENCES rensou.embedding_models (id),
  lane smallint NOT NULL CHECK (lane >= 0),
  -- Only 'ready' is searched: every vector of the agent names the lane.
  state text COLLATE "C" NOT NULL CHECK (state IN ('flagging', 'ready', 'leaving')),
  -- Writers with a lower number may not have seen the state; NULL: nobody has looked yet.
  since_xid xid8,
  PRIMARY KEY (agent_id, model_id)
);
-- What is still to be flagged or to be unflagged.
CREATE INDEX record_vectors_unflagged ON rensou.record_vectors (agent_id, model_id) WHERE ann_lane IS NULL;
CREATE INDEX record_vectors_flagged ON rensou.record_vectors (agent_id, model_id) WHERE ann_lane IS NOT NULL;

-- A new vector names its agent's lane, whoever writes it. The writer takes its number before it looks: one that looked
-- too early to see a state is older than whoever sees that state committed.
CREATE FUNCTION rensou.record_vectors_take_lane() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE TRIGGER record_vectors_take_lane BEFORE INSERT ON rensou.record_vectors
FOR EACH ROW EXECUTE FUNCTION rensou.record_vectors_take_lane();

ALTER TABLE rensou.ann_agents ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.ann_agents
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
GRANT SELECT, UPDATE, DELETE ON rensou.ann_agents TO rensou_worker;

-- The lanes of a model whose index is whole.
CREATE FUNCTION rensou.ann_lanes_v1(p_model_id integer) RETURNS TABLE (lane smallint)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = rensou, public, pg_temp AS $$
  SELECT substring(c.relname FROM '[0-9]+$')::smallint
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = 'rensou.record_vectors'::regclass
    AND i.indisvalid
    AND c.relname ~ ('^record_vectors_ann_' || p_model_id || '_[0-9]{1,3}$')
$$;

-- The lane where the agent may be searched approximately: all its vectors are in it, and its index is whole.
CREATE FUNCTION rensou.ann_lane_v1(p_model_id integer) RETURNS smallint
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
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

-- How a scope is searched for near vectors. in: records that it reads, records above which an index pays, whether the
-- agent is wholly in one.
CREATE FUNCTION rensou.vector_plan_v1(p_records bigint, p_ann_above bigint, p_ready boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN coalesce(p_ready AND p_records > p_ann_above, false) THEN 'ann' ELSE 'exact' END;

-- Nearest vectors of the agent by the index of its lane, best first; fewer than asked where the scope is narrow within
-- the lane, and the caller then asks the exact arm. in: unit vector, model, lane, scope, rows wanted. out: as the exact
-- arm. The statement is made anew for each call: only an index expression with the model's dimensions matches. Without
-- its index it sorts the agent's rows.
SELECT '[1]'::vector;
CREATE FUNCTION rensou.arm_ann_v1(
  p_query halfvec, p_model_id integer, p_lane smallint, p_project text, p_channel text, p_source text,
  p_source_prefix boolean, p_depth integer
) RETURNS TABLE (record_id bigint, cosine double precision)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off SET hnsw.iterative_scan = relaxed_order
SET hnsw.ef_search = 400 SET hnsw.max_scan_tuples = 5000 AS $$
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
$$;

-- Pairs of an agent and a model for the worker to look at: agents that are past p_ann_above records, of each model
-- that has lanes, and the agents that are in one or on their way.
CREATE FUNCTION rensou.ann_agents_to_tend_v1(p_ann_above bigint) RETURNS TABLE (agent_id text, model_id integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
  SELECT s.agent_id, m.id
  FROM (SELECT c.agent_id FROM scope_counts c GROUP BY c.agent_id HAVING sum(c.records) > p_ann_above) s
  JOIN embedding_models m ON m.state IN ('active', 'building') AND EXISTS (SELECT FROM ann_lanes_v1(m.id))
  UNION
  SELECT a.agent_id, a.model_id
  FROM ann_agents a
$$;

-- Puts the agent into the lane of the model with the fewest records where it and every agent of the lane would still own
-- p_least_share of the records (0 to 1). out: the lane; NULL: there is none, and the agent stays exact.
CREATE FUNCTION rensou.ann_enter_v1(p_model_id integer, p_least_share double precision) RETURNS smallint
LANGUAGE sql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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

-- What the worker decides by: the agent's records, which share of its lane's records they are (1 without a lane), its
-- state (NULL: none), whether vectors are left to flag, to unflag, and whether every writer that may not have seen the
-- state has ended.
CREATE FUNCTION rensou.ann_standing_v1(p_model_id integer) RETURNS TABLE (
  records bigint, share double precision, state text, any_unflagged boolean, any_flagged boolean, seen_by_all boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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

REVOKE ALL ON FUNCTION rensou.ann_lanes_v1, rensou.ann_lane_v1, rensou.arm_ann_v1, rensou.ann_agents_to_tend_v1,
  rensou.ann_enter_v1, rensou.ann_standing_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.ann_agents_to_tend_v1, rensou.ann_enter_v1, rensou.ann_standing_v1 TO rensou_worker;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
