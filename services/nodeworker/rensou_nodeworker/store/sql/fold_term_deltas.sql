-- Adds the oldest deltas of an agent to its document frequencies and to the counts of its projects; what is stored
-- meanwhile stays for the next time.
-- in:  agent_id, max_rows
-- out: deltas taken, slots whose count came to nothing, whether a project's count did
-- uses: term_deltas_pkey, term_frequencies_pkey, scope_counts_pkey
WITH oldest AS MATERIALIZED (
  SELECT o.id
  FROM term_deltas o
  WHERE o.agent_id = %(agent_id)s
  ORDER BY o.id
  LIMIT %(max_rows)s
),
taken AS MATERIALIZED (
  DELETE FROM term_deltas AS d
  USING oldest
  WHERE d.agent_id = %(agent_id)s
    AND d.id = oldest.id
  RETURNING d.project_id, d.delta, d.slots
),
changed AS MATERIALIZED (
  SELECT s.slot, sum(t.delta)::integer AS records
  FROM taken t
  CROSS JOIN LATERAL unnest(t.slots) AS s (slot)
  GROUP BY s.slot
  HAVING sum(t.delta) <> 0
),
folded AS (
  INSERT INTO term_frequencies AS f (agent_id, slot, records)
  SELECT %(agent_id)s, c.slot, c.records
  FROM changed c
  ORDER BY c.slot
  ON CONFLICT (agent_id, slot) DO UPDATE
  SET records = f.records + excluded.records
  RETURNING f.slot, f.records
),
counted AS (
  INSERT INTO scope_counts AS s (agent_id, project_id, records)
  SELECT %(agent_id)s, t.project_id, sum(t.delta)
  FROM taken t
  GROUP BY t.project_id
  ORDER BY t.project_id
  ON CONFLICT (agent_id, project_id) DO UPDATE
  SET records = s.records + excluded.records
  RETURNING s.records
)
SELECT
  (SELECT count(*) FROM taken t),
  coalesce((SELECT array_agg(f.slot ORDER BY f.slot) FROM folded f WHERE f.records <= 0), '{}'),
  (SELECT coalesce(bool_or(c.records = 0), false) FROM counted c)
