-- Another state of an agent in its lane; who may not have seen it is noted later.
-- in:  agent_id, model_id, state
-- uses: ann_agents_pkey
UPDATE ann_agents AS a
SET state = %(state)s,
    since_xid = NULL
WHERE a.agent_id = %(agent_id)s
  AND a.model_id = %(model_id)s
