-- Records of all agents that lack something under the model that is built, from a place on: the definer function names
-- them and no more.
-- in:  model_id, token_window or NULL, divider_version, after_agent and after_record (the place), max_rows
-- out: agent_id, record_id
SELECT l.agent_id, l.record_id
FROM records_to_rebuild_v1(
  %(model_id)s::integer, %(token_window)s::integer, %(divider_version)s::integer, %(after_agent)s::text,
  %(after_record)s::bigint, %(max_rows)s::integer
) l
ORDER BY l.agent_id, l.record_id
