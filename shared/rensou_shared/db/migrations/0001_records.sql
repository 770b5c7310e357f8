-- migrate:up

-- Records, their former texts and their caller ids. Every key starts with agent_id, so that the schema can be
-- partitioned or distributed by agent; ids come from one sequence and are never used again.
GRANT SELECT ON rensou.schema_migrations TO rensou_recall, rensou_worker;

CREATE SEQUENCE rensou.record_ids AS bigint;

CREATE TABLE rensou.records (
  agent_id text COLLATE "C" NOT NULL CHECK (agent_id <> '' AND octet_length(agent_id) <= 128),
  id bigint NOT NULL DEFAULT nextval('rensou.record_ids'),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('mem', 'ep')),
  project_id text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(project_id) <= 128),
  channel text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(channel) <= 128),
  content text NOT NULL CHECK (content <> ''),
  content_sha256 bytea NOT NULL,
  content_chars integer NOT NULL,
  source_type text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(source_type) <= 128),
  source_id text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(source_id) <= 128),
  source_name text NOT NULL DEFAULT '' CHECK (octet_length(source_name) <= 256),
  session_id text COLLATE "C" NOT NULL DEFAULT '' CHECK (octet_length(session_id) <= 128),
  occurred_at timestamptz,
  ended_at timestamptz,
  metadata jsonb,
  locked boolean NOT NULL DEFAULT false,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  revised_at timestamptz,
  -- Since when the record is out of every search (0017); NULL: it is live.
  retired_at timestamptz,
  PRIMARY KEY (agent_id, id),
  CONSTRAINT records_episode_has_interval CHECK (
    (kind = 'mem' AND ended_at IS NULL)
    OR (kind = 'ep' AND occurred_at IS NOT NULL AND ended_at IS NOT NULL AND occurred_at <= ended_at)
  )
);
-- The same text twice is one record, among live ones: what was retired stands in no new record's way.
CREATE UNIQUE INDEX records_same_content ON rensou.records (
  agent_id, kind, project_id, channel, source_type, source_id, session_id, occurred_at, ended_at, content_sha256
) NULLS NOT DISTINCT WHERE retired_at IS NULL;

CREATE TABLE rensou.record_revisions (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  revision integer NOT NULL,
  content text NOT NULL,
  content_sha256 bytea NOT NULL,
  current_from timestamptz NOT NULL,
  current_to timestamptz NOT NULL,
  PRIMARY KEY (agent_id, record_id, revision),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);

CREATE TABLE rensou.record_caller_ids (
  agent_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  caller_id text COLLATE "C" NOT NULL CHECK (caller_id <> '' AND octet_length(caller_id) <= 256),
  record_id bigint NOT NULL,
  content_sha256 bytea NOT NULL,
  PRIMARY KEY (agent_id, project_id, channel, caller_id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX record_caller_ids_record ON rensou.record_caller_ids (agent_id, record_id);

-- The hash and the length follow the text, whoever writes it.
CREATE FUNCTION rensou.records_describe_content() RETURNS trigger
LANGUAGE plpgsql SET search_path = rensou, public, pg_temp AS $$
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

CREATE TRIGGER records_describe_content BEFORE INSERT ON rensou.records
FOR EACH ROW EXECUTE FUNCTION rensou.records_describe_content();
-- What follows a text follows it on every path: also where a trigger that is not written yet changes the text, which
-- UPDATE OF would not see, and where the hash is written by hand. BEFORE triggers run by name: this one has the last
-- word on the hash, whatever the others did to the text.
CREATE TRIGGER records_zz_describe_content BEFORE UPDATE ON rensou.records
FOR EACH ROW WHEN (
  NEW.content <> OLD.content OR NEW.content_sha256 IS DISTINCT FROM OLD.content_sha256
  OR NEW.content_chars IS DISTINCT FROM OLD.content_chars
) EXECUTE FUNCTION rensou.records_describe_content();

-- A new text keeps the former one, whoever writes it.
CREATE FUNCTION rensou.records_keep_former_text() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
BEGIN
  INSERT INTO record_revisions (agent_id, record_id, revision, content, content_sha256, current_from, current_to)
  VALUES (OLD.agent_id, OLD.id, OLD.revision, OLD.content, OLD.content_sha256,
          coalesce(OLD.revised_at, OLD.created_at), NEW.revised_at);
  RETURN NULL;
END
$$;

CREATE TRIGGER records_keep_former_text AFTER UPDATE ON rensou.records
FOR EACH ROW WHEN (NEW.content <> OLD.content) EXECUTE FUNCTION rensou.records_keep_former_text();

ALTER TABLE rensou.records ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.record_revisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.record_caller_ids ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.records
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.record_revisions
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.record_caller_ids
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));

GRANT USAGE ON SEQUENCE rensou.record_ids TO rensou_recall;
GRANT SELECT, INSERT, UPDATE, DELETE ON rensou.records TO rensou_recall;
GRANT SELECT ON rensou.record_revisions TO rensou_recall;
GRANT SELECT, INSERT ON rensou.record_caller_ids TO rensou_recall;
-- UPDATE is what FOR SHARE asks for; the worker changes no record (it holds no INSERT, and a column it never writes).
GRANT SELECT, UPDATE (locked) ON rensou.records TO rensou_worker;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
