-- Records by id with what only GetContents shows, as far as the call may read them.
-- in:  ids bigint[], divider_version, scope
-- out: the columns of a stored record; metadata as JSON text or NULL; SHA-256 in hexadecimal; lowest caller id or '';
--      number of current nodes (of the active model)
-- uses: the primary keys, record_caller_ids_record
SELECT r.kind, r.id, r.content, r.project_id, r.channel, r.source_type, r.source_id, r.source_name, r.session_id,
       r.occurred_at, r.ended_at, r.created_at, r.locked, r.revision,
       r.retired_at IS NOT NULL,
       r.metadata::text,
       encode(r.content_sha256, 'hex'),
       coalesce((
         SELECT min(c.caller_id)
         FROM record_caller_ids c
         WHERE c.agent_id = %(agent_id)s
           AND c.record_id = r.id
       ), ''),
       coalesce((
         SELECT c.nodes
         FROM embedding_models m
         CROSS JOIN LATERAL current_nodes_v1(
           r.agent_id, r.id, r.content_chars, m.id, m.token_window, %(divider_version)s
         ) c
         WHERE m.state = 'active'
       ), 0)
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = ANY (%(ids)s)
  AND (%(project_id)s::text IS NULL OR r.project_id = %(project_id)s OR r.project_id = '')
  AND (%(channel)s = '' OR r.channel = %(channel)s OR r.channel = '')
  AND (%(source_id)s = '' OR r.source_id = %(source_id)s
       OR (%(source_is_prefix)s AND starts_with(r.source_id, %(source_id)s)))
ORDER BY r.id
