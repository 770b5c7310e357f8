-- How many builds of all agents wait, counted up to a cap. Those for a model that is not active yet count nothing.
-- in:  cap
-- out: count
-- uses: node_builds_pending
SELECT count(*)
FROM (
  SELECT
  FROM node_builds b
  WHERE b.state = 'pending'
    AND NOT b.rebuild
  LIMIT %(cap)s
) x
