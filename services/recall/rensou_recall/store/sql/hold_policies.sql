-- Waits for other transactions that write policies of a place, so that their number is counted.
-- in:  key bigint
SELECT pg_advisory_xact_lock(%(key)s)
