-- Takes old rows out of the logs of some agents: the definer function may, and sees no more of them.
-- in:  after text, agents int, keep_s double precision, keep_rows int, rows int (an agent)
-- out: last_agent text or null, trimmed bigint
SELECT t.last_agent, t.trimmed
FROM trim_recall_logs_v1(
  %(after)s, %(agents)s, %(keep_s)s, %(keep_rows)s, %(rows)s
) t
