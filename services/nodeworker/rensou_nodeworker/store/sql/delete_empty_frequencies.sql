-- Removes document frequencies that came to nothing.
-- in:  agent_id, slots
-- uses: term_frequencies_pkey
DELETE FROM term_frequencies AS f
WHERE f.agent_id = %(agent_id)s
  AND f.slot = ANY (%(slots)s::integer[])
  AND f.records <= 0
