-- Takes some of the agent's vectors into its lane; those that somebody else is at come later.
-- in:  agent_id, model_id, max_rows
-- uses: record_vectors_unflagged, record_vectors_pkey
WITH batch AS MATERIALIZED (
  SELECT u.record_id, a.lane
  FROM record_vectors u
  JOIN ann_agents a
    ON a.agent_id = %(agent_id)s
    AND a.model_id = %(model_id)s
    AND a.state <> 'leaving'
  WHERE u.agent_id = %(agent_id)s
    AND u.model_id = %(model_id)s
    AND u.ann_lane IS NULL
  LIMIT %(max_rows)s
  FOR UPDATE OF u SKIP LOCKED
)
UPDATE record_vectors AS v
SET ann_lane = batch.lane
FROM batch
WHERE v.agent_id = %(agent_id)s
  AND v.record_id = batch.record_id
  AND v.model_id = %(model_id)s
