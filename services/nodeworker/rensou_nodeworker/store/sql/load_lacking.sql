-- Which of the records of all agents behind a place lack something derived and have no build: the definer function names
-- them and no more.
-- in:  model_id, token_window or NULL, divider_version, terms_version, after_agent and after_record (the place), look (how
--      many records are looked at)
-- out: agent_id, record_id, reason; last the last record looked at, with NULL when it lacks nothing; no row: there is none
SELECT l.agent_id, l.record_id, l.reason
FROM records_lacking_v1(
  %(model_id)s::integer, %(token_window)s::integer, %(divider_version)s::integer, %(terms_version)s::integer,
  %(after_agent)s::text, %(after_record)s::bigint, %(look)s::integer
) l
ORDER BY l.agent_id, l.record_id
