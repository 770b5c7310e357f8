-- migrate:up

-- What the retrieval arms read: narrow rows beside the records, so that scans never touch a text.
CREATE TABLE rensou.embedding_models (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  fingerprint text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
  token_window integer CHECK (token_window > 0),
  state text COLLATE "C" NOT NULL CHECK (state IN ('building', 'active', 'retired')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (id, dimensions)
);
CREATE UNIQUE INDEX embedding_models_one_active ON rensou.embedding_models (state) WHERE state = 'active';

CREATE TABLE rensou.record_vectors (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  model_id integer NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  token_count integer,
  embedding halfvec NOT NULL CHECK (abs(l2_norm(embedding) - 1) < 0.01),
  dimensions integer GENERATED ALWAYS AS (vector_dims(embedding)) STORED,
  -- A row of a covering btree ends at 2,704 bytes: 1,024 half-precision dimensions.
  covered boolean GENERATED ALWAYS AS (vector_dims(embedding) <= 1024) STORED,
  -- The approximate index that holds the row; NULL: none does (0009).
  ann_lane smallint CHECK (ann_lane >= 0),
  PRIMARY KEY (agent_id, record_id, model_id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (model_id, dimensions) REFERENCES rensou.embedding_models (id, dimensions)
);
-- Out-of-line storage makes a scan of vectors two to five times slower.
ALTER TABLE rensou.record_vectors ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE INDEX record_vectors_covering ON rensou.record_vectors (agent_id, model_id, project_id)
  INCLUDE (record_id, channel, source_id, embedding) WHERE covered;
CREATE INDEX record_vectors_wide ON rensou.record_vectors (agent_id, model_id, project_id) WHERE NOT covered;

CREATE TABLE rensou.record_terms (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  terms_version smallint NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  hashes bigint[] NOT NULL,
  words sparsevec(999999937) NOT NULL,
  trigrams sparsevec(999999937) NOT NULL,
  -- What finds a record's neighbours in its session; an undated record stands before the dated ones.
  session_id text COLLATE "C" NOT NULL DEFAULT '',
  occurred_at timestamptz NOT NULL DEFAULT '-infinity',
  -- Bits of rensou_shared.text.traits.
  traits smallint NOT NULL DEFAULT 0,
  -- Whom the record comes from, as the record says.
  source_name text NOT NULL DEFAULT '',
  PRIMARY KEY (agent_id, record_id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
) WITH (toast_tuple_target = 8160);
ALTER TABLE rensou.record_terms ALTER COLUMN hashes SET STORAGE MAIN;
ALTER TABLE rensou.record_terms ALTER COLUMN words SET STORAGE MAIN;
ALTER TABLE rensou.record_terms ALTER COLUMN trigrams SET STORAGE MAIN;
CREATE INDEX record_terms_hashes ON rensou.record_terms USING gin (hashes)
  WITH (fastupdate = on, gin_pending_list_limit = 1024);
CREATE INDEX record_terms_session ON rensou.record_terms
  (agent_id, session_id, project_id, channel, occurred_at, record_id) WHERE session_id <> '';

-- Document frequencies, folded by the worker: a counter row would make one agent's writers wait for each other.
-- A slot is a term's dimension in the sparse vectors.
CREATE TABLE rensou.term_frequencies (
  agent_id text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  records integer NOT NULL,
  PRIMARY KEY (agent_id, slot)
);
CREATE TABLE rensou.scope_counts (
  agent_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  records bigint NOT NULL,
  PRIMARY KEY (agent_id, project_id)
);
CREATE SEQUENCE rensou.term_delta_ids AS bigint;
CREATE TABLE rensou.term_deltas (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL DEFAULT nextval('rensou.term_delta_ids'),
  project_id text COLLATE "C" NOT NULL,
  delta smallint NOT NULL CHECK (delta IN (-1, 1)),
  slots integer[] NOT NULL,
  PRIMARY KEY (agent_id, id)
);

CREATE FUNCTION rensou.term_slot(p_hash bigint) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ((p_hash % 999999937 + 999999937) % 999999937 + 1)::integer;

CREATE FUNCTION rensou.sparse_slots(p_vector sparsevec) RETURNS integer[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public AS $$
  SELECT coalesce(array_agg(split_part(x.pair, ':', 1)::integer), '{}')
  FROM unnest(string_to_array(nullif(btrim(split_part(p_vector::text, '/', 1), '{}'), ''), ',')) AS x (pair)
$$;

-- A record that moves to another project with its words moves a count and no frequency.
CREATE FUNCTION rensou.record_terms_count() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE TRIGGER record_terms_count AFTER INSERT OR DELETE OR UPDATE OF words, trigrams, project_id
ON rensou.record_terms FOR EACH ROW EXECUTE FUNCTION rensou.record_terms_count();

-- The copies of a record's scope, session, time and source follow the record.
CREATE FUNCTION rensou.records_move_copies() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE TRIGGER records_move_copies AFTER UPDATE OF project_id, channel, source_id, source_name, session_id, occurred_at
ON rensou.records
FOR EACH ROW WHEN (
  (NEW.project_id, NEW.channel, NEW.source_id, NEW.source_name, NEW.session_id, NEW.occurred_at)
  IS DISTINCT FROM (OLD.project_id, OLD.channel, OLD.source_id, OLD.source_name, OLD.session_id, OLD.occurred_at)
) EXECUTE FUNCTION rensou.records_move_copies();

-- The first model that a deployment meets becomes its active one; another is refused by the caller until an operator
-- activates it: vectors of two models are never compared.
CREATE FUNCTION rensou.register_embedding_model_v1(
  p_fingerprint text, p_name text, p_dimensions integer, p_token_window integer
) RETURNS TABLE (id integer, fingerprint text, name text, dimensions integer, token_window integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
BEGIN
  INSERT INTO embedding_models AS m (fingerprint, name, dimensions, token_window, state)
  VALUES (p_fingerprint, p_name, p_dimensions, p_token_window, 'active')
  ON CONFLICT DO NOTHING;
  RETURN QUERY
    SELECT m.id, m.fingerprint, m.name, m.dimensions, m.token_window FROM embedding_models m WHERE m.state = 'active';
END
$$;
REVOKE ALL ON FUNCTION rensou.register_embedding_model_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.register_embedding_model_v1 TO rensou_recall, rensou_worker;

ALTER TABLE rensou.record_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.record_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.term_frequencies ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.scope_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.term_deltas ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.record_vectors
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.record_terms
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.term_frequencies
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.scope_counts
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.term_deltas
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));

GRANT SELECT ON rensou.embedding_models TO rensou_recall, rensou_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON rensou.record_vectors, rensou.record_terms TO rensou_recall, rensou_worker;
GRANT SELECT ON rensou.scope_counts TO rensou_recall;
GRANT SELECT, DELETE ON rensou.term_deltas TO rensou_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON rensou.term_frequencies, rensou.scope_counts TO rensou_worker;

-- Agents whose document frequencies are behind: for the worker, which then reads them one agent at a time.
CREATE FUNCTION rensou.agents_with_term_deltas_v1(p_limit integer) RETURNS TABLE (agent_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
REVOKE ALL ON FUNCTION rensou.agents_with_term_deltas_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.agents_with_term_deltas_v1 TO rensou_worker;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
