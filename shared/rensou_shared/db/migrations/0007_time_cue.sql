-- migrate:up

-- When a record happened, as far as anybody knows, and the way to the newest of a period. The scope stands in the index
-- so that records of other scopes in between are passed without being read. A column and no expression: the planner
-- reads an expression from its index alone only when the columns that it is made of stand there as well.
ALTER TABLE rensou.records
  ADD COLUMN happened_at timestamptz NOT NULL GENERATED ALWAYS AS (coalesce(occurred_at, created_at)) STORED;
CREATE INDEX records_time ON rensou.records (agent_id, happened_at, id) INCLUDE (project_id, channel, source_id)
  WHERE retired_at IS NULL;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
