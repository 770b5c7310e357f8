-- migrate:up

-- What a recall returned and by which stage, as numbers of records: no question, no text. A row is written when the call
-- asks for a report (report = true), and for none other. Numbers of records that were forgotten since stay in it: they are
-- never used again and lead nowhere.
CREATE TABLE rensou.recall_log (
  agent_id text COLLATE "C" NOT NULL,
  recall_id text COLLATE "C" NOT NULL CHECK (recall_id ~ '^[0-9a-f]{32}$'),
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  method text COLLATE "C" NOT NULL CHECK (method IN ('recall', 'reconstruct')),
  -- As the call gave it; '' where it gave none.
  project_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  degraded boolean NOT NULL,
  vector_ids bigint[] NOT NULL,
  lexical_ids bigint[] NOT NULL,
  -- Found by no arm of a question: followers in a session, the newest, what a cue or the graph brought.
  other_ids bigint[] NOT NULL,
  refused_ids bigint[] NOT NULL,
  returned_ids bigint[] NOT NULL,
  PRIMARY KEY (agent_id, recall_id)
);
CREATE INDEX recall_log_newest ON rensou.recall_log (agent_id, at DESC);

-- What became of what was returned, as the agent says. The last verdict counts.
CREATE TABLE rensou.use_reports (
  agent_id text COLLATE "C" NOT NULL,
  recall_id text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  verdict text COLLATE "C" NOT NULL CHECK (verdict IN ('used', 'unused', 'wrong')),
  code text COLLATE "C" NOT NULL CHECK (code IN (
    'none', 'system_degraded', 'stale_conflict', 'unattributed', 'candidate_miss', 'filter_drop', 'ranking_miss',
    'evidence_noise')),
  first_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  times integer NOT NULL DEFAULT 1,
  PRIMARY KEY (agent_id, recall_id, record_id),
  FOREIGN KEY (agent_id, recall_id) REFERENCES rensou.recall_log (agent_id, recall_id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE
);
CREATE INDEX use_reports_record ON rensou.use_reports (agent_id, record_id);

ALTER TABLE rensou.recall_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE rensou.use_reports ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.recall_log
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
CREATE POLICY agent_wall ON rensou.use_reports
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
GRANT SELECT, INSERT ON rensou.recall_log TO rensou_recall;
-- A report holds its recall in place while it is written.
GRANT UPDATE (degraded) ON rensou.recall_log TO rensou_recall;
GRANT SELECT, INSERT, UPDATE ON rensou.use_reports TO rensou_recall;

-- Takes old rows out of the logs of some agents, in the order of their names behind p_after: those older than p_keep_s and
-- those beyond the newest p_keep_rows, at most p_rows an agent. out: the last agent that was looked at (NULL: no agent
-- is left behind p_after), rows taken.
CREATE FUNCTION rensou.trim_recall_logs_v1(
  p_after text, p_agents integer, p_keep_s double precision, p_keep_rows integer, p_rows integer
) RETURNS TABLE (last_agent text, trimmed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
DECLARE
  v_agent text := p_after;
  v_edge timestamptz;
  v_taken bigint;
BEGIN
  last_agent := NULL;
  trimmed := 0;
  FOR i IN 1..p_agents LOOP
    SELECT l.agent_id INTO v_agent FROM recall_log l
    WHERE l.agent_id > v_agent COLLATE "C" ORDER BY l.agent_id LIMIT 1;
    EXIT WHEN v_agent IS NULL;
    last_agent := v_agent;
    SELECT l.at INTO v_edge FROM recall_log l WHERE l.agent_id = v_agent ORDER BY l.at DESC OFFSET p_keep_rows LIMIT 1;
    v_edge := greatest(v_edge, clock_timestamp() - make_interval(secs => p_keep_s));
    -- Apart from the DELETE, which would otherwise look again for each row, and find others.
    WITH old AS MATERIALIZED (
      SELECT l.recall_id FROM recall_log l
      WHERE l.agent_id = v_agent AND l.at <= v_edge ORDER BY l.at LIMIT p_rows FOR UPDATE SKIP LOCKED
    )
    DELETE FROM recall_log d USING old o WHERE d.agent_id = v_agent AND d.recall_id = o.recall_id;
    GET DIAGNOSTICS v_taken = ROW_COUNT;
    trimmed := trimmed + v_taken;
  END LOOP;
  RETURN NEXT;
END
$$;
REVOKE ALL ON FUNCTION rensou.trim_recall_logs_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.trim_recall_logs_v1 TO rensou_worker;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
