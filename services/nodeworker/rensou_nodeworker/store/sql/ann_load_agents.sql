-- Agents and models that the approximate index concerns: past the bound, or in a lane. The definer function names them
-- and no more.
-- in:  ann_above
-- out: agent_id, model_id
SELECT a.agent_id, a.model_id
FROM ann_agents_to_tend_v1(%(ann_above)s::bigint) a
ORDER BY a.agent_id, a.model_id
