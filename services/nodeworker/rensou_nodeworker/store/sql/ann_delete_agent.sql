-- Ends an agent's stay in a lane.
-- in:  agent_id, model_id
-- uses: ann_agents_pkey
DELETE FROM ann_agents AS a
WHERE a.agent_id = %(agent_id)s
  AND a.model_id = %(model_id)s
  AND a.state = 'leaving'
