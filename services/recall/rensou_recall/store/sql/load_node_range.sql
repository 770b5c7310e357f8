-- Where the current nodes of records lie.
-- in:  agent_id, ids bigint[], divider_version
-- out: record_id, node_index from 0, start_char, end_char (code points, half-open)
-- uses: the primary keys of records and record_nodes
SELECT n.record_id, n.node_index, n.start_char, n.end_char
FROM records r
JOIN embedding_models m ON m.state = 'active'
JOIN record_nodes n ON n.record_id = r.id AND n.model_id = m.id
WHERE r.agent_id = %(agent_id)s
  AND n.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s)
  AND EXISTS (
    SELECT
    FROM current_nodes_v1(r.agent_id, r.id, r.content_chars, m.id, m.token_window, %(divider_version)s)
  )
ORDER BY n.record_id, n.node_index
