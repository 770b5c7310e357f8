-- Current nodes of records, and the first of sets that are not, with their similarity to the question; no vector leaves the database.
-- in:  ids bigint[], query halfvec or NULL, model_id integer or NULL (the question's model), scope
-- out: record_id, whether it is current, node_index from 0, start_char, end_char (code points, half-open), cosine
--      similarity or NULL
-- uses: the primary keys of record_nodes and records
SELECT n.record_id, m.id IS NOT NULL, n.node_index, n.start_char, n.end_char,
       CASE WHEN n.model_id = %(model_id)s::integer THEN -(n.embedding <#> %(query)s::halfvec) END
FROM record_nodes n
LEFT JOIN embedding_models m ON m.id = n.model_id AND m.state = 'active' AND m.token_window = n.token_window
JOIN records r ON r.agent_id = n.agent_id AND r.id = n.record_id
WHERE n.agent_id = %(agent_id)s
  AND r.agent_id = %(agent_id)s
  AND n.record_id = ANY (%(ids)s::bigint[])
  AND (m.id IS NOT NULL OR n.node_index = 0)
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
ORDER BY n.record_id, n.node_index, n.model_id
