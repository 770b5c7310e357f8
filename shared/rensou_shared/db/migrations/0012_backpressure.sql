-- migrate:up

-- Backpressure: how many builds wait is counted up to a cap, of one agent by this index, of all by the function. A
-- build that waits for a model that answers nothing yet (rebuild) has a bound of its own.
CREATE INDEX node_builds_pending ON rensou.node_builds (agent_id) WHERE state = 'pending' AND NOT rebuild;

-- How many builds of all agents wait, p_cap for that many or more: a number and no more.
CREATE FUNCTION rensou.pending_builds_v1(p_cap bigint) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
  SELECT count(*)
  FROM (SELECT FROM node_builds b WHERE b.state = 'pending' AND NOT b.rebuild LIMIT p_cap) x
$$;
REVOKE ALL ON FUNCTION rensou.pending_builds_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.pending_builds_v1 TO rensou_recall, rensou_worker;

-- What follows a text follows it on every path: also where a trigger that is not written yet changes the text, which
-- UPDATE OF would not see, and where the hash is written by hand.
DROP TRIGGER records_describe_content ON rensou.records;
CREATE TRIGGER records_describe_content BEFORE INSERT ON rensou.records
FOR EACH ROW EXECUTE FUNCTION rensou.records_describe_content();
-- BEFORE triggers run by name: this one has the last word on the hash, whatever the others did to the text.
CREATE TRIGGER records_zz_describe_content BEFORE UPDATE ON rensou.records
FOR EACH ROW WHEN (
  NEW.content <> OLD.content OR NEW.content_sha256 IS DISTINCT FROM OLD.content_sha256
  OR NEW.content_chars IS DISTINCT FROM OLD.content_chars
) EXECUTE FUNCTION rensou.records_describe_content();
DROP TRIGGER records_drop_derived ON rensou.records;
DROP TRIGGER records_keep_former_text ON rensou.records;
CREATE TRIGGER records_drop_derived AFTER UPDATE ON rensou.records
FOR EACH ROW WHEN (NEW.content <> OLD.content) EXECUTE FUNCTION rensou.records_drop_derived();
CREATE TRIGGER records_keep_former_text AFTER UPDATE ON rensou.records
FOR EACH ROW WHEN (NEW.content <> OLD.content) EXECUTE FUNCTION rensou.records_keep_former_text();

-- The builds of former texts that wait, or were given up, leave too: nobody needs them done, and the queue is counted.
-- One that runs ends by itself as superseded.
CREATE OR REPLACE FUNCTION rensou.records_drop_derived() RETURNS trigger
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

-- A build that was given up under another divider or window says nothing about the present one: both looks for what
-- lacks ask for it again. Otherwise as in 0008.
CREATE OR REPLACE FUNCTION rensou.records_to_rebuild_v1(
  p_model_id integer, p_token_window integer, p_divider_version integer, p_after_agent text, p_after_record bigint,
  p_limit integer
) RETURNS TABLE (agent_id text, record_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off AS $$
  SELECT l.agent_id, l.record_id
  FROM lacking_under_v1(p_model_id, p_token_window, p_divider_version) l
  WHERE (l.agent_id, l.record_id) > (p_after_agent COLLATE "C", p_after_record)
    AND NOT EXISTS (
      SELECT FROM node_builds b
      WHERE b.agent_id = l.agent_id AND b.record_id = l.record_id AND b.content_sha256 = l.content_sha256
        AND b.model_id = p_model_id
        AND (b.state IN ('pending', 'running')
             OR (b.state = 'dead' AND b.divider_version = p_divider_version
                 AND b.token_window IS NOT DISTINCT FROM p_token_window))
    )
  ORDER BY l.agent_id, l.record_id
  LIMIT p_limit
$$;

CREATE OR REPLACE FUNCTION rensou.records_lacking_v1(
  p_model_id integer, p_token_window integer, p_divider_version integer, p_terms_version integer, p_after_agent text,
  p_after_record bigint, p_look integer
) RETURNS TABLE (agent_id text, record_id bigint, reason text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_sort = off SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
  WITH looked AS MATERIALIZED (
    SELECT r.agent_id, r.id, r.content_sha256
    FROM records r
    WHERE (r.agent_id, r.id) > (p_after_agent COLLATE "C", p_after_record)
    ORDER BY r.agent_id, r.id
    LIMIT p_look
  ),
  judged AS MATERIALIZED (
    SELECT l.agent_id, l.id, l.content_sha256, row_number() OVER (ORDER BY l.agent_id DESC, l.id DESC) AS from_last,
           CASE
             WHEN t.record_id IS NULL THEN 'terms'
             WHEN v.record_id IS NULL THEN 'vector'
             WHEN v.token_count > p_token_window AND NOT EXISTS (
               SELECT FROM record_nodes n
               WHERE n.agent_id = l.agent_id AND n.record_id = l.id AND n.model_id = p_model_id
                 AND n.token_window = p_token_window AND n.divider_version = p_divider_version
             ) THEN 'nodes'
           END AS lack
    FROM looked l
    LEFT JOIN record_terms t
      ON t.agent_id = l.agent_id AND t.record_id = l.id AND t.terms_version = p_terms_version
    LEFT JOIN record_vectors v
      ON v.agent_id = l.agent_id AND v.record_id = l.id AND v.model_id = p_model_id
  ),
  unasked AS MATERIALIZED (
    SELECT j.agent_id, j.id, j.from_last,
           CASE WHEN j.lack IS NOT NULL AND NOT EXISTS (
             SELECT FROM node_builds b
             WHERE b.agent_id = j.agent_id AND b.record_id = j.id AND b.content_sha256 = j.content_sha256
               AND (b.model_id = p_model_id OR b.model_id IS NULL)
               AND (b.state IN ('pending', 'running')
                    OR (b.state = 'dead' AND b.divider_version = p_divider_version
                        AND coalesce(b.token_window, p_token_window) IS NOT DISTINCT FROM p_token_window))
           ) THEN j.lack END AS reason
    FROM judged j
  )
  SELECT u.agent_id, u.id, u.reason
  FROM unasked u
  WHERE u.reason IS NOT NULL OR u.from_last = 1
$$;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
