-- migrate:up

-- What stood and stands no more: what known_at and GetHistory read, and nothing else. Written by triggers, so that every
-- path keeps it, statements by hand included. What is here goes with its record: forgotten stays forgotten.

-- A relation that was taken back, or that went with an entity. Its ends that are entities may be gone.
CREATE TABLE rensou.relation_history (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  subject_entity bigint,
  subject_record bigint,
  predicate text NOT NULL,
  normalized_predicate text COLLATE "C" NOT NULL,
  object_entity bigint,
  object_record bigint,
  anchor_record bigint,
  declared_by text COLLATE "C" NOT NULL,
  declared_at timestamptz NOT NULL,
  retracted_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, id),
  FOREIGN KEY (agent_id, subject_record) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, object_record) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, anchor_record) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX relation_history_subject_entity ON rensou.relation_history (agent_id, subject_entity, id)
  WHERE subject_entity IS NOT NULL;
CREATE INDEX relation_history_object_entity ON rensou.relation_history (agent_id, object_entity, id)
  WHERE object_entity IS NOT NULL;
CREATE INDEX relation_history_subject_record ON rensou.relation_history (agent_id, subject_record, id)
  WHERE subject_record IS NOT NULL;
CREATE INDEX relation_history_object_record ON rensou.relation_history (agent_id, object_record, id)
  WHERE object_record IS NOT NULL;
CREATE INDEX relation_history_anchor_record ON rensou.relation_history (agent_id, anchor_record)
  WHERE anchor_record IS NOT NULL;

-- What was asserted of such a relation. An assertion about a record is never taken back: it is superseded, and stays.
CREATE TABLE rensou.validity_history (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  relation_id bigint NOT NULL,
  valid_from timestamptz,
  valid_to timestamptz,
  asserted_by text COLLATE "C" NOT NULL,
  recorded_at timestamptz NOT NULL,
  superseded_at timestamptz,
  PRIMARY KEY (agent_id, id),
  FOREIGN KEY (agent_id, relation_id) REFERENCES rensou.relation_history (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX validity_history_relation ON rensou.validity_history (agent_id, relation_id, id);

-- A mention that was taken back, or that went with its entity; the same pair may have come and gone several times.
CREATE SEQUENCE rensou.mention_history_ids AS bigint;
CREATE TABLE rensou.mention_history (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL DEFAULT nextval('rensou.mention_history_ids'),
  entity_id bigint NOT NULL,
  record_id bigint NOT NULL,
  declared_by text COLLATE "C" NOT NULL,
  declared_at timestamptz NOT NULL,
  retracted_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX mention_history_entity ON rensou.mention_history (agent_id, entity_id, record_id, id);
CREATE INDEX mention_history_record ON rensou.mention_history (agent_id, record_id, entity_id, id);

-- An entity that was deleted, and its names: without them nothing could be said of what it was once declared to be.
CREATE TABLE rensou.entity_history (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  name text NOT NULL,
  declared_by text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, id)
);
CREATE TABLE rensou.alias_history (
  agent_id text COLLATE "C" NOT NULL,
  entity_id bigint NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  normalized text COLLATE "C" NOT NULL,
  alias text NOT NULL,
  is_name boolean NOT NULL,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, entity_id, project_id, channel, normalized)
);
CREATE INDEX alias_history_normalized ON rensou.alias_history (agent_id, normalized);
-- Names that stand already were given with their entities, as far as anybody knows.
ALTER TABLE rensou.entity_aliases ADD COLUMN created_at timestamptz;
UPDATE rensou.entity_aliases a
SET created_at = e.created_at
FROM rensou.entities e
WHERE e.agent_id = a.agent_id AND e.id = a.entity_id;
ALTER TABLE rensou.entity_aliases ALTER COLUMN created_at SET DEFAULT clock_timestamp(),
  ALTER COLUMN created_at SET NOT NULL;

-- The words and the vectors of former texts, beside record_revisions; a revision that was made before its vector was
-- there has none. They are never searched unless known_at is asked, and never rebuilt: a vector of another model than
-- the active one is compared with nothing.
CREATE TABLE rensou.revision_terms (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  revision integer NOT NULL,
  terms_version smallint NOT NULL,
  hashes bigint[] NOT NULL,
  words sparsevec(999999937) NOT NULL,
  trigrams sparsevec(999999937) NOT NULL,
  traits smallint NOT NULL,
  PRIMARY KEY (agent_id, record_id, revision),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
) WITH (toast_tuple_target = 8160);
ALTER TABLE rensou.revision_terms ALTER COLUMN hashes SET STORAGE MAIN;
ALTER TABLE rensou.revision_terms ALTER COLUMN words SET STORAGE MAIN;
ALTER TABLE rensou.revision_terms ALTER COLUMN trigrams SET STORAGE MAIN;
CREATE TABLE rensou.revision_vectors (
  agent_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  revision integer NOT NULL,
  model_id integer NOT NULL REFERENCES rensou.embedding_models (id),
  token_count integer,
  embedding halfvec NOT NULL,
  PRIMARY KEY (agent_id, record_id, revision, model_id),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);
ALTER TABLE rensou.revision_vectors ALTER COLUMN embedding SET STORAGE PLAIN;

-- The few that were revised: what has another text than at some time before.
CREATE INDEX records_revised ON rensou.records (agent_id, session_id, revised_at) WHERE revised_at IS NOT NULL;

-- Runs before records_drop_derived and records_drop_retired, by its name: what they drop is kept here first.
CREATE FUNCTION rensou.records_archive_derived() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE TRIGGER records_archive_derived AFTER UPDATE ON rensou.records
FOR EACH ROW WHEN (NEW.content <> OLD.content) EXECUTE FUNCTION rensou.records_archive_derived();

-- Before the row leaves: what hangs on a relation by a foreign key leaves first. A relation of a record that is being
-- forgotten keeps nothing; that record is gone by now.
CREATE FUNCTION rensou.relations_keep_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE TRIGGER relations_keep_history BEFORE DELETE ON rensou.relations
FOR EACH ROW EXECUTE FUNCTION rensou.relations_keep_history();

CREATE FUNCTION rensou.mentions_keep_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
BEGIN
  INSERT INTO mention_history (agent_id, entity_id, record_id, declared_by, declared_at, retracted_at)
  SELECT OLD.agent_id, OLD.entity_id, OLD.record_id, OLD.declared_by, OLD.created_at, statement_timestamp()
  FROM records r
  WHERE r.agent_id = OLD.agent_id AND r.id = OLD.record_id;
  RETURN OLD;
END
$$;
CREATE TRIGGER mentions_keep_history BEFORE DELETE ON rensou.entity_mentions
FOR EACH ROW EXECUTE FUNCTION rensou.mentions_keep_history();

CREATE FUNCTION rensou.entities_keep_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
BEGIN
  DELETE FROM entity_history h WHERE h.agent_id = OLD.agent_id AND h.id = OLD.id;
  INSERT INTO entity_history (agent_id, id, project_id, channel, name, declared_by, created_at, deleted_at)
  VALUES (OLD.agent_id, OLD.id, OLD.project_id, OLD.channel, OLD.name, OLD.declared_by, OLD.created_at,
          statement_timestamp());
  RETURN OLD;
END
$$;
CREATE TRIGGER entities_keep_history BEFORE DELETE ON rensou.entities
FOR EACH ROW EXECUTE FUNCTION rensou.entities_keep_history();

CREATE FUNCTION rensou.aliases_keep_history() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE TRIGGER aliases_keep_history BEFORE DELETE ON rensou.entity_aliases
FOR EACH ROW EXECUTE FUNCTION rensou.aliases_keep_history();

ALTER TABLE rensou.relation_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.validity_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.mention_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.entity_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.alias_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.revision_terms ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.revision_vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.relation_history
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.validity_history
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.mention_history
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.entity_history
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.alias_history
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.revision_terms
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.revision_vectors
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
GRANT SELECT ON rensou.relation_history, rensou.validity_history, rensou.mention_history, rensou.entity_history,
  rensou.alias_history, rensou.revision_terms, rensou.revision_vectors TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
