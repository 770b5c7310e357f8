-- Waits until no other transaction stores under one of these keys, in one order for every caller.
-- in:  keys bigint[] (hashes of scope and caller id, and of scope and text)
-- out: nothing of use; the locks end with the transaction
SELECT pg_advisory_xact_lock(x.key)
FROM (
  SELECT DISTINCT u.key
  FROM unnest(%(keys)s::bigint[]) AS u (key)
  ORDER BY u.key
  OFFSET 0
) x
