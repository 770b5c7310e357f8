-- How much of the question each record says, by the weight of its words.
-- in:  words bigint[] (hashes), records bigint[]
-- out: record_id, share 0-1
-- uses: the primary key of record_terms; the function reads the agent from the transaction's setting
SELECT w.record_id, w.share
FROM gate_words_v1(%(words)s::bigint[], %(records)s::bigint[]) w
ORDER BY w.record_id
