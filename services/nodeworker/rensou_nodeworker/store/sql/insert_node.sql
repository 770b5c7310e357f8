-- One node of a record.
-- in:  agent_id, record_id, node_index, start_char and end_char (code points), token_count, token_window, model_id,
--      divider_version, embedding (unit halfvec)
INSERT INTO record_nodes AS n (
  agent_id, record_id, node_index, start_char, end_char, token_count, token_window, model_id, divider_version, embedding
)
VALUES (
  %(agent_id)s, %(record_id)s, %(node_index)s, %(start_char)s, %(end_char)s, %(token_count)s, %(token_window)s,
  %(model_id)s, %(divider_version)s, %(embedding)s::halfvec
)
