-- Takes away the builds of records that were given up, so that a new one stands alone.
-- in:  agent_id, ids bigint[]
-- uses: node_builds_dead
DELETE FROM node_builds AS b
WHERE b.agent_id = %(agent_id)s
  AND b.record_id = ANY (%(ids)s)
  AND b.state = 'dead'
