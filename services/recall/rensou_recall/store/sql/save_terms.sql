-- The lexical index's row of a record whose text is new, with the record's own scope, session and time.
-- in:  agent_id, record_id, terms_version, hashes, words and trigrams (text of a sparsevec), traits
-- uses: records_pkey, record_terms_pkey
INSERT INTO record_terms AS t (
  agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words, trigrams, session_id, occurred_at,
  traits, source_name
)
SELECT r.agent_id, r.id, %(terms_version)s, r.project_id, r.channel, r.source_id, %(hashes)s::bigint[],
       %(words)s::text::sparsevec, %(trigrams)s::text::sparsevec, r.session_id, coalesce(r.occurred_at, '-infinity'),
       %(traits)s, r.source_name
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
