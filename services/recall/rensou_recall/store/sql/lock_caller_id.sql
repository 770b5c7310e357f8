-- Waits until no other transaction stores under this caller id, then tells what stands under it.
-- in:  key bigint (hash of scope and caller id)
-- out: nothing of use; the lock ends with the transaction
SELECT pg_advisory_xact_lock(%(key)s)
