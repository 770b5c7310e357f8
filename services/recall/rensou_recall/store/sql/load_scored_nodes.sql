-- Current nodes of records, and the first of sets that are not, with their similarity to the question; no vector leaves the database.
-- in:  ids bigint[], query halfvec or NULL, model_id integer or NULL (the question's model), divider_version, scope
-- out: record_id, whether it is current, node_index from 0, start_char, end_char (code points, half-open), cosine
--      similarity or NULL
-- uses: the primary keys of record_nodes and records
WITH held AS MATERIALIZED (
  SELECT r.id, m.id AS model_id
  FROM records r
  LEFT JOIN embedding_models m ON m.state = 'active' AND EXISTS (
    SELECT
    FROM current_nodes_v1(r.agent_id, r.id, r.content_chars, m.id, m.token_window, %(divider_version)s)
  )
  WHERE r.agent_id = %(agent_id)s
    AND r.id = ANY (%(ids)s::bigint[])
    AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
    AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
    AND (%(source_id)s = '' OR r.source_id = %(source_id)s
         OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
)
SELECT n.record_id, h.model_id IS NOT NULL, n.node_index, n.start_char, n.end_char,
       CASE WHEN n.model_id = %(model_id)s::integer THEN -(n.embedding <#> %(query)s::halfvec) END
FROM held h
JOIN record_nodes n ON n.record_id = h.id
WHERE n.agent_id = %(agent_id)s
  AND (n.model_id = h.model_id OR (h.model_id IS NULL AND n.node_index = 0))
ORDER BY n.record_id, n.node_index, n.model_id
