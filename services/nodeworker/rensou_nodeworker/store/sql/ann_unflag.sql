-- Takes some of the agent's vectors out of its lane; those that somebody else is at come later.
-- in:  agent_id, model_id, max_rows
-- uses: record_vectors_flagged, record_vectors_pkey
WITH batch AS MATERIALIZED (
  SELECT u.record_id
  FROM record_vectors u
  WHERE u.agent_id = %(agent_id)s
    AND u.model_id = %(model_id)s
    AND u.ann_lane IS NOT NULL
  LIMIT %(max_rows)s
  FOR UPDATE OF u SKIP LOCKED
)
UPDATE record_vectors AS v
SET ann_lane = NULL
FROM batch
WHERE v.agent_id = %(agent_id)s
  AND v.record_id = batch.record_id
  AND v.model_id = %(model_id)s
