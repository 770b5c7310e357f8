-- Waits until no other transaction declares anything new for the agent, takes back or forgets; the lock ends with the
-- transaction.
-- in:  agent_id text
-- out: nothing of use
-- The seed keeps this family of locks apart from others that hash the same text.
SELECT pg_advisory_xact_lock(hashtextextended(%(agent_id)s, 1970001))
