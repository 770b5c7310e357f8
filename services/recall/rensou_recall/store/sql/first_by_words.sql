-- The record that the lexical arm puts first for words.
-- in:  words bigint[] (hashes), scope
-- out: record_id, or no row when no record says one of them
-- uses: record_terms_hashes; the function reads the agent from the transaction's setting
SELECT c.record_id
FROM recall_candidates_v1(
  NULL, NULL, %(words)s::bigint[], '{}', %(project_id)s, %(channel)s, %(source_id)s, %(source_is_prefix)s, 1, '{}', 0
) c
WHERE c.lexical_rank = 1
ORDER BY c.record_id
