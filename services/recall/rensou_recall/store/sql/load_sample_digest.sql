-- What the sample of the agent's records is: its first different texts in the order of their hashes. They are those of
-- its first records, and for each copy among these one more, sought in the index: a text that is stored often is
-- stepped over at once.
-- in:  size: how many texts at most
-- out: records (how many different texts there are), digest (SHA-256 of their hashes in order)
-- uses: records_sample
WITH RECURSIVE head AS MATERIALIZED (
  SELECT r.content_sha256
  FROM records r
  WHERE r.agent_id = %(agent_id)s
  ORDER BY r.content_sha256, r.id
  LIMIT %(size)s
),
texts AS MATERIALIZED (
  SELECT DISTINCT h.content_sha256
  FROM head h
),
further (content_sha256, place) AS (
  (
    SELECT t.content_sha256, count(*) OVER ()
    FROM texts t
    ORDER BY t.content_sha256 DESC
    LIMIT 1
  )
  UNION ALL
  SELECT n.content_sha256, f.place + 1
  FROM further f
  CROSS JOIN LATERAL (
    SELECT r.content_sha256
    FROM records r
    WHERE r.agent_id = %(agent_id)s
      AND r.content_sha256 > f.content_sha256
    ORDER BY r.content_sha256, r.id
    LIMIT 1
  ) n
  WHERE f.place < %(size)s
)
SELECT count(*), sha256(coalesce(string_agg(s.content_sha256, '' ORDER BY s.content_sha256), ''))
FROM (
  SELECT t.content_sha256
  FROM texts t
  UNION
  SELECT f.content_sha256
  FROM further f
) s
