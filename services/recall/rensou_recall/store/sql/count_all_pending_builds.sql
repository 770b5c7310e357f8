-- How many builds of all agents wait, counted up to a cap: the definer function tells the number and no more.
-- in:  cap
-- out: count
-- uses: node_builds_pending
SELECT pending_builds_v1(%(cap)s::bigint)
