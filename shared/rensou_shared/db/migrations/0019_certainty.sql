-- migrate:up

-- How sure a caller is of a record or of a relation, in words; NULL: nothing is said. A record's is stated when it is
-- stored and stays. A relation's may be stated again: the latest stands, the former is kept with the time it ended.
ALTER TABLE rensou.records ADD COLUMN certainty text COLLATE "C" CHECK (certainty IN ('sure', 'likely', 'vague'));
ALTER TABLE rensou.relations ADD COLUMN certainty text COLLATE "C" CHECK (certainty IN ('sure', 'likely', 'vague'));
GRANT UPDATE (certainty) ON rensou.relations TO rensou_recall;

CREATE SEQUENCE rensou.former_certainty_ids AS bigint;
CREATE TABLE rensou.former_certainties (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL DEFAULT nextval('rensou.former_certainty_ids'),
  relation_id bigint NOT NULL,
  certainty text COLLATE "C" CHECK (certainty IN ('sure', 'likely', 'vague')),
  superseded_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, id),
  FOREIGN KEY (agent_id, relation_id) REFERENCES rensou.relations (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX former_certainties_relation ON rensou.former_certainties (agent_id, relation_id, superseded_at, id);
ALTER TABLE rensou.former_certainties ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.former_certainties
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
GRANT USAGE ON SEQUENCE rensou.former_certainty_ids TO rensou_recall;
GRANT SELECT, INSERT ON rensou.former_certainties TO rensou_recall;

-- Which episodes of a place began before a moment, the last first: those that cover it are among them.
CREATE INDEX records_episodes ON rensou.records (agent_id, project_id, channel, occurred_at, id) WHERE kind = 'ep';

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
