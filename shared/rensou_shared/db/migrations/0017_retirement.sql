-- migrate:up

-- Retired records: out of every search, and served by ref. What a search reads of one is moved aside in the transaction
-- that retires it, whoever writes `retired_at`, and moved back when it is restored: so the arms, the words that sessions
-- and document frequencies count, and their statements stay as they are. Copies of a record's scope are not kept here:
-- what reads a retired record joins the record.
CREATE TABLE rensou.retired_vectors (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  model_id integer NOT NULL,
  token_count integer,
  embedding halfvec NOT NULL CHECK (abs(l2_norm(embedding) - 1) < 0.01),
  dimensions integer GENERATED ALWAYS AS (vector_dims(embedding)) STORED,
  PRIMARY KEY (agent_id, record_id, model_id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (model_id, dimensions) REFERENCES rensou.embedding_models (id, dimensions)
);
ALTER TABLE rensou.retired_vectors ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE TABLE rensou.retired_terms (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  terms_version smallint NOT NULL,
  hashes bigint[] NOT NULL,
  words sparsevec(999999937) NOT NULL,
  trigrams sparsevec(999999937) NOT NULL,
  traits smallint NOT NULL,
  PRIMARY KEY (agent_id, record_id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);

-- Caller ids that a retired record gave up, and takes back when it is restored and nobody else holds them.
CREATE TABLE rensou.retired_caller_ids (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  caller_id text COLLATE "C" NOT NULL,
  content_sha256 bytea NOT NULL,
  PRIMARY KEY (agent_id, record_id, project_id, channel, caller_id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);

-- Why, by which policy ('': by hand), by whom and when; a row a retirement, kept when the record is restored.
CREATE SEQUENCE rensou.retirement_ids AS bigint;
CREATE TABLE rensou.record_retirements (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL DEFAULT nextval('rensou.retirement_ids'),
  record_id bigint NOT NULL,
  reason text NOT NULL DEFAULT '' CHECK (octet_length(reason) <= 256),
  policy text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(policy) <= 128),
  retired_by text COLLATE "C" NOT NULL CHECK (retired_by IN ('agent', 'operator')),
  retired_at timestamptz NOT NULL,
  restored_by text COLLATE "C" CHECK (restored_by IN ('agent', 'operator')),
  restored_at timestamptz,
  PRIMARY KEY (agent_id, id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  CHECK ((restored_by IS NULL) = (restored_at IS NULL))
);
CREATE INDEX record_retirements_record ON rensou.record_retirements (agent_id, record_id, id);

-- Which records of one place may be retired, in the words of whoever wrote it; nothing runs one by itself.
CREATE TABLE rensou.retention_policies (
  agent_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL CHECK (octet_length(project_id) <= 128),
  channel text COLLATE "C" NOT NULL CHECK (octet_length(channel) <= 128),
  name text COLLATE "C" NOT NULL CHECK (name <> '' AND octet_length(name) <= 128),
  -- A JSON object of the tests as they were given.
  tests text NOT NULL CHECK (tests <> ''),
  put_by text COLLATE "C" NOT NULL CHECK (put_by IN ('agent', 'operator')),
  put_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, project_id, channel, name)
);

CREATE INDEX records_retired ON rensou.records (agent_id, id) INCLUDE (project_id, channel, source_id)
  WHERE retired_at IS NOT NULL;

CREATE FUNCTION rensou.records_move_aside() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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

-- The record's own scope, session and time go with what comes back. A caller id that another record has got meanwhile
-- stays aside.
CREATE FUNCTION rensou.records_move_back() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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

-- AFTER triggers run by name: what is derived of a former text is dropped before anything is moved.
CREATE TRIGGER records_retire AFTER UPDATE ON rensou.records
FOR EACH ROW WHEN (OLD.retired_at IS NULL AND NEW.retired_at IS NOT NULL)
EXECUTE FUNCTION rensou.records_move_aside();
CREATE TRIGGER records_unretire AFTER UPDATE ON rensou.records
FOR EACH ROW WHEN (OLD.retired_at IS NOT NULL AND NEW.retired_at IS NULL)
EXECUTE FUNCTION rensou.records_move_back();

CREATE FUNCTION rensou.records_drop_retired() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
BEGIN
  DELETE FROM retired_vectors v WHERE v.agent_id = NEW.agent_id AND v.record_id = NEW.id;
  DELETE FROM retired_terms t WHERE t.agent_id = NEW.agent_id AND t.record_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER records_drop_retired AFTER UPDATE ON rensou.records
FOR EACH ROW WHEN (OLD.retired_at IS NOT NULL AND NEW.content <> OLD.content)
EXECUTE FUNCTION rensou.records_drop_retired();

-- What is derived of a record that was retired meanwhile goes aside as well, whoever derives it. The worker holds the
-- record while it writes, so that the record is retired before or after it, and never beside it.
CREATE FUNCTION rensou.record_vectors_stay_aside() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE FUNCTION rensou.record_terms_stay_aside() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
-- BEFORE triggers run by name: before record_vectors_take_lane.
CREATE TRIGGER record_vectors_stay_aside BEFORE INSERT ON rensou.record_vectors
FOR EACH ROW EXECUTE FUNCTION rensou.record_vectors_stay_aside();
CREATE TRIGGER record_terms_stay_aside BEFORE INSERT ON rensou.record_terms
FOR EACH ROW EXECUTE FUNCTION rensou.record_terms_stay_aside();

-- The far list: retired records of the scope, each scored exactly by every arm; the words weigh as they do among live
-- records. in: unit vector or NULL, model, hashes of the words (64 bit), slots of the trigrams, scope, rows an arm,
-- records looked at most (the newest). out: how many retired records the scope holds, on every row; then record,
-- cosine, its rank from 1 or NULL, BM25, its rank from 1 or NULL, trigrams (BM25), the share of the words' weight that
-- stands in it (0-1), in no promised order. A scope of which no arm finds a record gives one row without a record.
CREATE FUNCTION rensou.arm_retired_v1(
  p_query halfvec, p_model_id integer, p_words bigint[], p_trigrams integer[], p_project text, p_channel text,
  p_source text, p_source_prefix boolean, p_depth integer, p_most integer
) RETURNS TABLE (
  held bigint, record_id bigint, cosine double precision, vector_rank integer, bm25 double precision,
  lexical_rank integer, trigrams double precision, share double precision
)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
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
REVOKE ALL ON FUNCTION rensou.arm_retired_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.arm_retired_v1 TO rensou_recall;
REVOKE ALL ON FUNCTION rensou.records_move_aside, rensou.records_move_back, rensou.records_drop_retired,
  rensou.record_vectors_stay_aside, rensou.record_terms_stay_aside FROM PUBLIC;

ALTER TABLE rensou.retired_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.retired_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.retired_caller_ids ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.record_retirements ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.retention_policies ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.retired_vectors
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.retired_terms
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.retired_caller_ids
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.record_retirements
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.retention_policies
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));

GRANT SELECT ON rensou.retired_vectors, rensou.retired_terms, rensou.retired_caller_ids TO rensou_recall;
GRANT USAGE ON SEQUENCE rensou.retirement_ids TO rensou_recall;
GRANT SELECT, INSERT, UPDATE (restored_by, restored_at) ON rensou.record_retirements TO rensou_recall;
GRANT SELECT, INSERT, UPDATE, DELETE ON rensou.retention_policies TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
