-- Whether this transaction may do what only one reconciler does at a time; never waits.
-- in:  name
-- out: boolean
SELECT pg_try_advisory_xact_lock(hashtextextended(%(name)s, 0))
