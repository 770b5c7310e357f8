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

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
