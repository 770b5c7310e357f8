-- A recall on record, held against the trimming of the log.
-- in:  agent_id, recall_id text
-- out: degraded boolean, vector_ids, lexical_ids, other_ids, refused_ids, returned_ids bigint[]
-- uses: the primary key
SELECT l.degraded, l.vector_ids, l.lexical_ids, l.other_ids, l.refused_ids, l.returned_ids
FROM recall_log l
WHERE l.agent_id = %(agent_id)s
  AND l.recall_id = %(recall_id)s
FOR NO KEY UPDATE
