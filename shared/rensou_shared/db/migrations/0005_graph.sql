-- migrate:up

-- The declared graph. References are foreign keys: a declaration never outlives its endpoint.
CREATE SEQUENCE rensou.entity_ids AS bigint;
CREATE TABLE rensou.entities (
  agent_id text COLLATE "C" NOT NULL CHECK (agent_id <> ''),
  id bigint NOT NULL DEFAULT nextval('rensou.entity_ids'),
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  name text NOT NULL,
  declared_by text COLLATE "C" NOT NULL CHECK (declared_by IN ('agent', 'operator')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (agent_id, id),
  UNIQUE (agent_id, id, project_id, channel)
);

-- Names and aliases are one namespace: a normalised form means one entity a scope. The name is an alias, too.
CREATE TABLE rensou.entity_aliases (
  agent_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  normalized text COLLATE "C" NOT NULL CHECK (normalized <> ''),
  entity_id bigint NOT NULL,
  alias text NOT NULL,
  is_name boolean NOT NULL,
  PRIMARY KEY (agent_id, project_id, channel, normalized),
  FOREIGN KEY (agent_id, entity_id, project_id, channel)
    REFERENCES rensou.entities (agent_id, id, project_id, channel) ON DELETE CASCADE
);
CREATE INDEX entity_aliases_normalized ON rensou.entity_aliases (agent_id, normalized, project_id, channel);
CREATE INDEX entity_aliases_long ON rensou.entity_aliases (agent_id) WHERE length(normalized) > 64;
CREATE INDEX entity_aliases_entity ON rensou.entity_aliases (agent_id, entity_id);

CREATE TABLE rensou.entity_mentions (
  agent_id text COLLATE "C" NOT NULL,
  entity_id bigint NOT NULL,
  record_id bigint NOT NULL,
  declared_by text COLLATE "C" NOT NULL CHECK (declared_by IN ('agent', 'operator')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (agent_id, entity_id, record_id),
  FOREIGN KEY (agent_id, entity_id) REFERENCES rensou.entities (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX entity_mentions_record ON rensou.entity_mentions (agent_id, record_id);

CREATE SEQUENCE rensou.relation_ids AS bigint;
CREATE TABLE rensou.relations (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL DEFAULT nextval('rensou.relation_ids'),
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  subject_entity bigint,
  subject_record bigint,
  predicate text NOT NULL,
  normalized_predicate text COLLATE "C" NOT NULL CHECK (normalized_predicate <> ''),
  object_entity bigint,
  object_record bigint,
  anchor_record bigint,
  declared_by text COLLATE "C" NOT NULL CHECK (declared_by IN ('agent', 'operator')),
  declared_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (agent_id, id),
  CONSTRAINT relations_once UNIQUE NULLS NOT DISTINCT (
    agent_id, project_id, channel, subject_entity, subject_record, normalized_predicate, object_entity, object_record,
    anchor_record
  ),
  CHECK (num_nonnulls(subject_entity, subject_record) = 1),
  CHECK (num_nonnulls(object_entity, object_record) = 1),
  CHECK (subject_entity IS DISTINCT FROM object_entity OR subject_entity IS NULL),
  CHECK (subject_record IS DISTINCT FROM object_record OR subject_record IS NULL),
  FOREIGN KEY (agent_id, subject_entity) REFERENCES rensou.entities (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, object_entity) REFERENCES rensou.entities (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, subject_record) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, object_record) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, anchor_record) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX relations_subject_entity ON rensou.relations (agent_id, subject_entity, object_entity)
  WHERE subject_entity IS NOT NULL;
CREATE INDEX relations_object_entity ON rensou.relations (agent_id, object_entity, subject_entity)
  WHERE object_entity IS NOT NULL;
CREATE INDEX relations_subject_record ON rensou.relations (agent_id, subject_record) WHERE subject_record IS NOT NULL;
CREATE INDEX relations_object_record ON rensou.relations (agent_id, object_record) WHERE object_record IS NOT NULL;
CREATE INDEX relations_anchor_record ON rensou.relations (agent_id, anchor_record) WHERE anchor_record IS NOT NULL;

-- The adjacency that bounded walks read: one row a scope, a pair and a direction, holding the newest relation. Parallel
-- relations would make a walk that reads K edges a node inexact; a row of another project must hide nothing.
CREATE TABLE rensou.entity_edges (
  agent_id text COLLATE "C" NOT NULL,
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  from_entity bigint NOT NULL,
  to_entity bigint NOT NULL,
  relation_id bigint NOT NULL,
  declared_at timestamptz NOT NULL,
  -- The rest of the row is included, so that finding the newest edge of a pair reads this index alone, not a hub.
  PRIMARY KEY (agent_id, from_entity, to_entity, project_id, channel) INCLUDE (declared_at, relation_id),
  FOREIGN KEY (agent_id, from_entity) REFERENCES rensou.entities (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, to_entity) REFERENCES rensou.entities (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX entity_edges_newest ON rensou.entity_edges (agent_id, from_entity, declared_at DESC, relation_id)
  INCLUDE (to_entity, project_id, channel);
CREATE INDEX entity_edges_to ON rensou.entity_edges (agent_id, to_entity, from_entity);

CREATE FUNCTION rensou.relations_keep_edges() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
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
CREATE TRIGGER relations_add_edges AFTER INSERT ON rensou.relations
FOR EACH ROW WHEN (NEW.subject_entity IS NOT NULL AND NEW.object_entity IS NOT NULL)
EXECUTE FUNCTION rensou.relations_keep_edges();
CREATE TRIGGER relations_drop_edges AFTER DELETE ON rensou.relations
FOR EACH ROW WHEN (OLD.subject_entity IS NOT NULL AND OLD.object_entity IS NOT NULL)
EXECUTE FUNCTION rensou.relations_keep_edges();

ALTER TABLE rensou.entities ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.entity_aliases ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.entity_mentions ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.relations ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.entity_edges ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.entities
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.entity_aliases
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.entity_mentions
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.relations
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.entity_edges
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));

-- Names and aliases of the agent that occur in a question (both in normal form), longest first, at most p_keep.
-- From each place of the question it steps down the names in their order: a name that the rest of the question begins
-- with is the greatest not above the rest, or not above what the rest and that greatest have in common at their start.
-- So a question costs about two searches of the index a character, however many names there are. "same" may be more than
-- they have in common, never less, and every step is shorter than the one before it. Names of more than 64 characters
-- are few: each is looked for by itself.
-- The settings and the two bounds in place of an equation hold the plan to entity_aliases_normalized, whatever the
-- planner knows of the agent that comes first.
CREATE FUNCTION rensou.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer)
RETURNS TABLE (entity_id bigint, normalized text)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off AS $$
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
REVOKE ALL ON FUNCTION rensou.question_names_v1 FROM PUBLIC;

GRANT USAGE ON SEQUENCE rensou.entity_ids, rensou.relation_ids TO rensou_recall;
GRANT SELECT, INSERT ON rensou.entities, rensou.entity_aliases TO rensou_recall;
GRANT SELECT, INSERT, DELETE ON rensou.entity_mentions, rensou.relations TO rensou_recall;
GRANT SELECT ON rensou.entity_edges TO rensou_recall;
GRANT EXECUTE ON FUNCTION rensou.question_names_v1 TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
