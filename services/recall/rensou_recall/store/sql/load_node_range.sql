-- Where the current nodes of records lie.
-- in:  agent_id, ids bigint[]
-- out: record_id, node_index from 0, start_char, end_char (code points, half-open)
-- uses: the primary key of record_nodes
SELECT n.record_id, n.node_index, n.start_char, n.end_char
FROM record_nodes n
JOIN embedding_models m ON m.id = n.model_id AND m.state = 'active' AND m.token_window = n.token_window
WHERE n.agent_id = %(agent_id)s
  AND n.record_id = ANY (%(ids)s)
ORDER BY n.record_id, n.node_index
