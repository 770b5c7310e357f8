-- What the sample of the agent's records is: its first different texts in the order of their hashes. A text that is
-- stored often is stepped over at once, as each step of the recursion seeks the next hash in the index.
-- in:  size: how many texts at most
-- out: records (how many different texts there are), digest (SHA-256 of their hashes in order)
-- uses: records_sample
WITH RECURSIVE texts (content_sha256, place) AS (
  (
    SELECT r.content_sha256, 1
    FROM records r
    WHERE r.agent_id = %(agent_id)s
    ORDER BY r.content_sha256, r.id
    LIMIT 1
  )
  UNION ALL
  SELECT n.content_sha256, t.place + 1
  FROM texts t
  CROSS JOIN LATERAL (
    SELECT r.content_sha256
    FROM records r
    WHERE r.agent_id = %(agent_id)s
      AND r.content_sha256 > t.content_sha256
    ORDER BY r.content_sha256, r.id
    LIMIT 1
  ) n
  WHERE t.place < %(size)s
)
SELECT count(*), sha256(coalesce(string_agg(t.content_sha256, '' ORDER BY t.content_sha256), ''))
FROM texts t
