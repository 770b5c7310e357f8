-- How many rebuilds of all agents wait, counted up to a cap.
-- in:  cap
-- out: count
-- uses: node_builds_due
SELECT count(*)
FROM (
  SELECT
  FROM node_builds b
  WHERE b.state = 'pending'
    AND b.crashes = 0
    AND b.rebuild
  LIMIT %(cap)s
) x
