-- Notes, in a transaction after the one that made the state, which writers may not have seen it: those before now.
-- in:  agent_id, model_id
-- uses: ann_agents_pkey
UPDATE ann_agents AS a
SET since_xid = pg_snapshot_xmax(pg_current_snapshot())
WHERE a.agent_id = %(agent_id)s
  AND a.model_id = %(model_id)s
  AND a.since_xid IS NULL
