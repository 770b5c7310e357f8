-- How many recalls on record are older than they may be.
-- in:  agent_id text, keep_s double precision
-- out: count bigint
-- uses: recall_log_newest
SELECT count(*)
FROM recall_log l
WHERE l.agent_id = %(agent_id)s
  AND l.at < statement_timestamp() - make_interval(secs => %(keep_s)s)
