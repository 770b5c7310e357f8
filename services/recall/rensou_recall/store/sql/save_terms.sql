-- The lexical index's row of a record whose text is new.
-- in:  agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words, trigrams (sparsevec text)
INSERT INTO record_terms AS t (
  agent_id, record_id, terms_version, project_id, channel, source_id, hashes, words, trigrams
)
VALUES (
  %(agent_id)s, %(record_id)s, %(terms_version)s, %(project_id)s, %(channel)s, %(source_id)s, %(hashes)s::bigint[],
  %(words)s::sparsevec, %(trigrams)s::sparsevec
)
