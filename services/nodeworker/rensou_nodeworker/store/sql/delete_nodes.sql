-- Removes a record's nodes under a model: a set is replaced whole or not at all.
-- in:  agent_id, record_id, model_id
-- uses: record_nodes_pkey
DELETE FROM record_nodes AS n
WHERE n.agent_id = %(agent_id)s
  AND n.record_id = %(record_id)s
  AND n.model_id = %(model_id)s
