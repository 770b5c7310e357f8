-- The retention policies of a place, or the one of a name.
-- in:  agent_id, project_id, channel, name or NULL (all)
-- out: name, tests (JSON text), put_by, put_at
-- uses: the primary key
SELECT p.name, p.tests, p.put_by, p.put_at
FROM retention_policies p
WHERE p.agent_id = %(agent_id)s
  AND p.project_id = %(project_id)s
  AND p.channel = %(channel)s
  AND (%(name)s::text IS NULL OR p.name = %(name)s)
ORDER BY p.name
