-- Takes a retention policy away.
-- in:  agent_id, project_id, channel, name
DELETE FROM retention_policies AS p
WHERE p.agent_id = %(agent_id)s
  AND p.project_id = %(project_id)s
  AND p.channel = %(channel)s
  AND p.name = %(name)s
