-- Writes a retention policy, in the place of the one of its name.
-- in:  agent_id, project_id, channel, name, tests (JSON text), put_by
-- out: put_at
INSERT INTO retention_policies AS p (agent_id, project_id, channel, name, tests, put_by, put_at)
VALUES (%(agent_id)s, %(project_id)s, %(channel)s, %(name)s, %(tests)s, %(put_by)s, statement_timestamp())
ON CONFLICT (agent_id, project_id, channel, name) DO UPDATE
SET tests = excluded.tests,
    put_by = excluded.put_by,
    put_at = excluded.put_at
RETURNING p.put_at
