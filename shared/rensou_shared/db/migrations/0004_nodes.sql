-- migrate:up

-- Overflow nodes: contiguous spans of a record that is past the embedding window. The text is never copied.
CREATE TABLE rensou.record_nodes (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  node_index integer NOT NULL CHECK (node_index >= 0),
  start_char integer NOT NULL CHECK (start_char >= 0),
  end_char integer NOT NULL,
  token_count integer NOT NULL,
  token_window integer NOT NULL,
  model_id integer NOT NULL,
  divider_version smallint NOT NULL,
  embedding halfvec NOT NULL CHECK (abs(l2_norm(embedding) - 1) < 0.01),
  dimensions integer GENERATED ALWAYS AS (vector_dims(embedding)) STORED,
  PRIMARY KEY (agent_id, record_id, node_index),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (model_id, dimensions) REFERENCES rensou.embedding_models (id, dimensions),
  CHECK (end_char > start_char),
  CHECK (token_count <= token_window)
);

-- The outbox: written in the record's own transaction. Redis carries only a hint that a row is here.
CREATE SEQUENCE rensou.build_ids AS bigint;
CREATE TABLE rensou.node_builds (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL DEFAULT nextval('rensou.build_ids'),
  record_id bigint NOT NULL,
  content_sha256 bytea NOT NULL,
  -- Unknown while the embedding server has never answered.
  model_id integer REFERENCES rensou.embedding_models (id),
  token_window integer,
  divider_version smallint NOT NULL,
  state text COLLATE "C" NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'running', 'done', 'superseded', 'dead')),
  errors integer NOT NULL DEFAULT 0,
  crashes integer NOT NULL DEFAULT 0,
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  hinted_at timestamptz,
  lease_token uuid,
  lease_until timestamptz,
  last_error text,
  -- When the work was last asked for: the age of what waits, and of what keeps failing, counts from here.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  PRIMARY KEY (agent_id, id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  CONSTRAINT node_builds_once UNIQUE NULLS NOT DISTINCT
    (agent_id, record_id, content_sha256, model_id, token_window, divider_version),
  CHECK ((state = 'running') = (lease_token IS NOT NULL AND lease_until IS NOT NULL))
);
-- A build that took its worker down waits apart: it is run alone, so that the next crash has one cause.
CREATE INDEX node_builds_due ON rensou.node_builds (next_at, id) WHERE state = 'pending' AND crashes = 0;
CREATE INDEX node_builds_quarantined ON rensou.node_builds (next_at, id) WHERE state = 'pending' AND crashes > 0;
CREATE INDEX node_builds_leased ON rensou.node_builds (lease_until) WHERE state = 'running';
CREATE INDEX node_builds_finished ON rensou.node_builds (finished_at) WHERE state IN ('done', 'superseded');
CREATE INDEX node_builds_dead ON rensou.node_builds (agent_id) WHERE state = 'dead';

-- What was derived from a text leaves with it, and the worker is told, whoever changes the text. The builds of former
-- texts that wait, or were given up, leave too: nobody needs them done, and the queue is counted. One that runs ends by
-- itself as superseded.
CREATE FUNCTION rensou.records_drop_derived() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE TRIGGER records_drop_derived AFTER UPDATE ON rensou.records
FOR EACH ROW WHEN (NEW.content <> OLD.content) EXECUTE FUNCTION rensou.records_drop_derived();

-- The current set of a record's nodes under a model: it starts at 0, goes on without gap or overlap, ends where the text
-- ends, and every node is of this window (NULL: any) and divider; a node without an embedding cannot be stored. Worker,
-- reconciler, health check and readers ask here and nowhere else. in: record, length of its text in code points, model,
-- its window, divider version. out: number of nodes; no row when the set is not current. Inlined into what asks, and so
-- under its caller's policies.
CREATE FUNCTION rensou.current_nodes_v1(
  p_agent_id text, p_record_id bigint, p_chars integer, p_model_id integer, p_token_window integer,
  p_divider_version integer
) RETURNS TABLE (nodes bigint)
LANGUAGE sql STABLE AS $$
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
REVOKE ALL ON FUNCTION rensou.current_nodes_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.current_nodes_v1 TO rensou_recall, rensou_worker;

ALTER TABLE rensou.record_nodes ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.node_builds ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.record_nodes
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.node_builds TO rensou_recall
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
-- The worker takes work of every agent; it names the agent before it reads anything else.
CREATE POLICY worker_takes_all ON rensou.node_builds TO rensou_worker USING (true) WITH CHECK (true);

GRANT SELECT ON rensou.record_nodes TO rensou_recall;
GRANT SELECT, INSERT, DELETE ON rensou.record_nodes TO rensou_worker;
GRANT USAGE ON SEQUENCE rensou.build_ids TO rensou_recall, rensou_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON rensou.node_builds TO rensou_recall, rensou_worker;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
