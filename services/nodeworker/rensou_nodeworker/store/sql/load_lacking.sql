-- Records of all agents that lack something derived and have no build: the definer function names them and no more.
-- in:  model_id, token_window or NULL, divider_version, terms_version, max_rows
-- out: agent_id, record_id, reason
SELECT l.agent_id, l.record_id, l.reason
FROM records_lacking_v1(
  %(model_id)s::integer, %(token_window)s::integer, %(divider_version)s::integer, %(terms_version)s::integer,
  %(max_rows)s::integer
) l
ORDER BY l.agent_id, l.record_id
