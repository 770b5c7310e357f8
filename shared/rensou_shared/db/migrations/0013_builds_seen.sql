-- migrate:up

-- Builds as operators see them.

-- What is listed and counted by state, in the order of agent and id; what ended well is in no list. The expressions are
-- read by no other index, so that a list cannot be read from one that holds every build.
CREATE INDEX node_builds_open ON rensou.node_builds (
  (CASE WHEN state = 'pending' AND crashes > 0 THEN 'quarantined' ELSE state END), (agent_id || ''), id
) WHERE state IN ('pending', 'running', 'dead');

-- A page of builds that have not ended well, by agent and id: no text, and no hash of one. For an operator's call of the
-- recall service. in: the agents (NULL: all) and the last of them in the order of bytes, state (pending, quarantined,
-- running, dead; NULL: any of them), place, rows wanted. out: a row a build; age in seconds since it was asked for;
-- outdated: the record has another text by now, or the model is retired. One branch a state, each in order from the
-- index; the settings hold the plan to that, however many builds there are.
CREATE FUNCTION rensou.list_builds_v1(
  p_agents text[], p_last_agent text, p_state text, p_after_agent text, p_after_id bigint, p_limit integer
) RETURNS TABLE (
  agent_id text, id bigint, kind text, record_id bigint, state text, errors integer, crashes integer,
  next_at timestamptz, lease_until timestamptz, created_at timestamptz, age_s double precision, last_error text,
  fingerprint text, rebuild boolean, outdated boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  WITH k AS MATERIALIZED (
    (
      SELECT b.agent_id, b.id
      FROM node_builds b
      WHERE b.state IN ('pending', 'running', 'dead')
        AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'pending'
        AND (p_state IS NULL OR p_state = 'pending')
        AND (b.agent_id || '', b.id) > (p_after_agent, p_after_id) AND b.agent_id || '' <= p_last_agent
        AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
      ORDER BY b.agent_id || '', b.id LIMIT p_limit
    )
    UNION ALL
    (
      SELECT b.agent_id, b.id
      FROM node_builds b
      WHERE b.state IN ('pending', 'running', 'dead')
        AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'quarantined'
        AND (p_state IS NULL OR p_state = 'quarantined')
        AND (b.agent_id || '', b.id) > (p_after_agent, p_after_id) AND b.agent_id || '' <= p_last_agent
        AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
      ORDER BY b.agent_id || '', b.id LIMIT p_limit
    )
    UNION ALL
    (
      SELECT b.agent_id, b.id
      FROM node_builds b
      WHERE b.state IN ('pending', 'running', 'dead')
        AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'running'
        AND (p_state IS NULL OR p_state = 'running')
        AND (b.agent_id || '', b.id) > (p_after_agent, p_after_id) AND b.agent_id || '' <= p_last_agent
        AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
      ORDER BY b.agent_id || '', b.id LIMIT p_limit
    )
    UNION ALL
    (
      SELECT b.agent_id, b.id
      FROM node_builds b
      WHERE b.state IN ('pending', 'running', 'dead')
        AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'dead'
        AND (p_state IS NULL OR p_state = 'dead')
        AND (b.agent_id || '', b.id) > (p_after_agent, p_after_id) AND b.agent_id || '' <= p_last_agent
        AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
      ORDER BY b.agent_id || '', b.id LIMIT p_limit
    )
  )
  SELECT b.agent_id, b.id, r.kind, b.record_id,
         CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END,
         b.errors, b.crashes, b.next_at, b.lease_until, b.created_at,
         extract(epoch FROM clock_timestamp() - b.created_at)::double precision, b.last_error, m.fingerprint, b.rebuild,
         r.content_sha256 <> b.content_sha256 OR coalesce(m.state = 'retired', false)
  FROM k
  JOIN node_builds b ON b.agent_id = k.agent_id AND b.id = k.id
  JOIN records r ON r.agent_id = b.agent_id AND r.id = b.record_id
  LEFT JOIN embedding_models m ON m.id = b.model_id
  ORDER BY b.agent_id, b.id
  LIMIT p_limit
$$;

-- How the builds of agents stand: counts and an age. For an operator's call of the recall service. in: the agents (NULL:
-- all), the first and the last of them in the order of bytes. out: pending (not quarantined, no rebuild), quarantined,
-- running, dead, rebuilds that wait, seconds that the oldest of pending and quarantined waits, builds that ended well
-- within the last minute.
CREATE FUNCTION rensou.builds_summary_v1(p_agents text[], p_first_agent text, p_last_agent text)
RETURNS TABLE (
  pending bigint, quarantined bigint, running bigint, dead bigint, rebuilds bigint, oldest_s double precision,
  ended bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
  SELECT count(*) FILTER (WHERE b.state = 'pending' AND b.crashes = 0 AND NOT b.rebuild),
         count(*) FILTER (WHERE b.state = 'pending' AND b.crashes > 0),
         count(*) FILTER (WHERE b.state = 'running'),
         count(*) FILTER (WHERE b.state = 'dead'),
         count(*) FILTER (WHERE b.state = 'pending' AND b.crashes = 0 AND b.rebuild),
         coalesce(extract(epoch FROM clock_timestamp() - min(b.created_at) FILTER (
           WHERE b.state = 'pending' AND (b.crashes > 0 OR NOT b.rebuild)
         )), 0)::double precision,
         (
           SELECT count(*)
           FROM node_builds e
           WHERE e.state IN ('done', 'superseded') AND e.finished_at > now() - interval '1 min'
             AND (p_agents IS NULL OR e.agent_id = ANY (p_agents))
         )
  FROM node_builds b
  WHERE b.state IN ('pending', 'running', 'dead')
    AND b.agent_id || '' >= p_first_agent AND b.agent_id || '' <= p_last_agent
    AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
$$;

-- Asks for dead builds again, as if they had never failed. What nobody needs any more (the record has another text, with
-- a build of its own; the model is retired) ends as superseded instead. For an operator's call of the recall service.
-- in: the agents (NULL: all), the first and the last of them in the order of bytes, ids (NULL: any dead one, lowest agent
-- and id first), how many at most. out: a row a build that was met; outcome: queued, superseded or, of those that were
-- named, not_dead.
CREATE FUNCTION rensou.retry_builds_v1(
  p_agents text[], p_first_agent text, p_last_agent text, p_ids bigint[], p_limit integer
) RETURNS TABLE (agent_id text, id bigint, kind text, record_id bigint, rebuild boolean, outcome text)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
  WITH dead AS MATERIALIZED (
    SELECT b.agent_id, b.id, b.record_id, b.content_sha256, b.model_id, b.state, b.rebuild
    FROM node_builds b
    WHERE p_ids IS NULL
      AND b.state IN ('pending', 'running', 'dead')
      AND CASE WHEN b.state = 'pending' AND b.crashes > 0 THEN 'quarantined' ELSE b.state END = 'dead'
      AND b.agent_id || '' >= p_first_agent AND b.agent_id || '' <= p_last_agent
      AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
    ORDER BY b.agent_id || '', b.id
    LIMIT p_limit
    FOR UPDATE
  ),
  named AS MATERIALIZED (
    SELECT b.agent_id, b.id, b.record_id, b.content_sha256, b.model_id, b.state, b.rebuild
    FROM node_builds b
    WHERE b.id = ANY (p_ids)
      AND b.state IN ('pending', 'running', 'dead')
      AND b.agent_id || '' >= p_first_agent AND b.agent_id || '' <= p_last_agent
      AND (p_agents IS NULL OR b.agent_id = ANY (p_agents))
    ORDER BY b.agent_id || '', b.id
    LIMIT p_limit
    FOR UPDATE
  ),
  judged AS MATERIALIZED (
    SELECT c.agent_id, c.id, r.kind, c.record_id, c.rebuild,
           CASE
             WHEN c.state <> 'dead' THEN 'not_dead'
             WHEN r.content_sha256 <> c.content_sha256 OR coalesce(m.state = 'retired', false) THEN 'superseded'
             ELSE 'queued'
           END AS outcome
    FROM (SELECT d.* FROM dead d UNION ALL SELECT n.* FROM named n) c
    JOIN records r ON r.agent_id = c.agent_id AND r.id = c.record_id
    LEFT JOIN embedding_models m ON m.id = c.model_id
  ),
  changed AS (
    UPDATE node_builds AS b
    SET state = CASE j.outcome WHEN 'queued' THEN 'pending' ELSE 'superseded' END,
        errors = 0,
        crashes = 0,
        next_at = clock_timestamp(),
        hinted_at = NULL,
        last_error = NULL,
        created_at = CASE j.outcome WHEN 'queued' THEN clock_timestamp() ELSE b.created_at END,
        finished_at = CASE j.outcome WHEN 'superseded' THEN clock_timestamp() END
    FROM judged j
    WHERE b.agent_id = j.agent_id AND b.id = j.id AND j.outcome <> 'not_dead'
  )
  SELECT j.agent_id, j.id, j.kind, j.record_id, j.rebuild, j.outcome
  FROM judged j
  ORDER BY j.agent_id, j.id
$$;

REVOKE ALL ON FUNCTION rensou.list_builds_v1, rensou.builds_summary_v1, rensou.retry_builds_v1
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.list_builds_v1, rensou.builds_summary_v1, rensou.retry_builds_v1 TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
