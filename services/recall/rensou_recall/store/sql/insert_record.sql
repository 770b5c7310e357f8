-- A new record with its rows of both indexes and, where something is still to be derived, its build: one statement, so
-- that none exists without the others. Nothing when the same text stands already.
-- in:  the record's columns; terms_version, hashes bigint[], words and trigrams as sparsevec text, traits; embedding halfvec or
--      NULL, model_id, token_count or NULL; wants_build boolean, token_window or NULL, divider_version
-- out: id, build_id or NULL, id of the active model or NULL
-- uses: records_same_content
WITH r AS (
  INSERT INTO records AS x (
    agent_id, kind, project_id, channel, content, source_type, source_id, source_name, session_id, occurred_at,
    ended_at, metadata, certainty
  )
  VALUES (
    %(agent_id)s, %(kind)s, %(project_id)s, %(channel)s, %(content)s, %(source_type)s, %(source_id)s, %(source_name)s,
    %(session_id)s, %(occurred_at)s, %(ended_at)s, %(metadata)s::jsonb, %(certainty)s
  )
  ON CONFLICT (
    agent_id, kind, project_id, channel, source_type, source_id, session_id, occurred_at, ended_at, content_sha256
  ) WHERE retired_at IS NULL DO NOTHING
  RETURNING x.agent_id, x.id, x.project_id, x.channel, x.source_id, x.source_name, x.session_id, x.occurred_at,
            x.content_sha256
),
t AS (
  INSERT INTO record_terms AS y (
    agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words, trigrams, session_id,
    occurred_at, traits, source_name
  )
  SELECT r.agent_id, r.id, %(terms_version)s, r.project_id, r.channel, r.source_id, %(hashes)s::bigint[],
         %(words)s::sparsevec, %(trigrams)s::sparsevec, r.session_id, coalesce(r.occurred_at, '-infinity'), %(traits)s,
         r.source_name
  FROM r
),
v AS (
  INSERT INTO record_vectors AS y (
    agent_id, record_id, model_id, project_id, channel, source_id, token_count, embedding
  )
  SELECT r.agent_id, r.id, %(model_id)s, r.project_id, r.channel, r.source_id, %(token_count)s, %(embedding)s::halfvec
  FROM r
  WHERE %(embedding)s::halfvec IS NOT NULL
),
b AS (
  INSERT INTO node_builds AS y (agent_id, record_id, content_sha256, model_id, token_window, divider_version)
  SELECT r.agent_id, r.id, r.content_sha256, %(model_id)s, %(token_window)s, %(divider_version)s
  FROM r
  WHERE %(wants_build)s
  RETURNING y.id
)
SELECT r.id, (SELECT b.id FROM b), (SELECT m.id FROM embedding_models m WHERE m.state = 'active')
FROM r
