-- Agents whose document frequencies are behind: the definer function names them and no more.
-- in:  max_rows
-- out: agent_id
SELECT a.agent_id
FROM agents_with_term_deltas_v1(%(max_rows)s::integer) a
ORDER BY a.agent_id
