-- The sample of the agent's records with their vectors: its first different texts in the order of their hashes, each
-- by the lowest of its records. They are those of its first records, and for each copy among these one more.
-- in:  size: how many texts at most; model_id
-- out: content_sha256, embedding or NULL
-- uses: records_sample, the primary key of record_vectors
WITH RECURSIVE head AS MATERIALIZED (
  SELECT r.content_sha256, r.id
  FROM rensou.records r
  WHERE r.agent_id = %(agent_id)s
    AND r.retired_at IS NULL
  ORDER BY r.content_sha256, r.id
  LIMIT %(size)s
),
texts AS MATERIALIZED (
  SELECT DISTINCT ON (h.content_sha256) h.content_sha256, h.id
  FROM head h
  ORDER BY h.content_sha256, h.id
),
further (content_sha256, id, place) AS (
  (
    SELECT t.content_sha256, t.id, count(*) OVER ()
    FROM texts t
    ORDER BY t.content_sha256 DESC
    LIMIT 1
  )
  UNION ALL
  SELECT n.content_sha256, n.id, f.place + 1
  FROM further f
  CROSS JOIN LATERAL (
    SELECT r.content_sha256, r.id
    FROM rensou.records r
    WHERE r.agent_id = %(agent_id)s
      AND r.content_sha256 > f.content_sha256
      AND r.retired_at IS NULL
    ORDER BY r.content_sha256, r.id
    LIMIT 1
  ) n
  WHERE f.place < %(size)s
)
SELECT s.content_sha256, v.embedding
FROM (
  SELECT t.content_sha256, t.id
  FROM texts t
  UNION
  SELECT f.content_sha256, f.id
  FROM further f
) s
LEFT JOIN LATERAL (
  SELECT x.embedding
  FROM rensou.record_vectors x
  WHERE x.agent_id = %(agent_id)s
    AND x.record_id = s.id
    AND x.model_id = %(model_id)s
) v ON TRUE
ORDER BY s.content_sha256
