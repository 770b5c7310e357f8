-- Keeps what a recall found and returned, by number.
-- in:  agent_id, recall_id, method text, project_id, channel text, degraded boolean, vector_ids, lexical_ids, other_ids,
--      refused_ids, returned_ids bigint[]
-- out: nothing
INSERT INTO recall_log (agent_id, recall_id, method, project_id, channel, degraded, vector_ids, lexical_ids, other_ids,
                        refused_ids, returned_ids)
VALUES (%(agent_id)s, %(recall_id)s, %(method)s, %(project_id)s, %(channel)s, %(degraded)s,
        %(vector_ids)s::bigint[], %(lexical_ids)s::bigint[], %(other_ids)s::bigint[], %(refused_ids)s::bigint[],
        %(returned_ids)s::bigint[])
