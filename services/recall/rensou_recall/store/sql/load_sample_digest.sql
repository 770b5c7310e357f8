-- What the sample of the agent's records is: the first of them in the order of their texts' hashes.
-- in:  size: how many records at most
-- out: records (how many different texts there are), digest (SHA-256 of their texts' hashes in order)
-- uses: records_sample
SELECT count(DISTINCT s.content_sha256), sha256(coalesce(string_agg(s.content_sha256, '' ORDER BY s.content_sha256), ''))
FROM (
  SELECT r.content_sha256
  FROM records r
  WHERE r.agent_id = %(agent_id)s
  ORDER BY r.content_sha256, r.id
  LIMIT %(size)s
) s
