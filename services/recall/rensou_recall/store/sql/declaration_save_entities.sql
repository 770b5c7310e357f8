-- Registers entities; numbers rise in the order of the names.
-- in:  agent_id, project_id, channel, declared_by text; names text[] (as written)
-- out: id bigint, one row a name
-- uses: nothing
INSERT INTO entities AS e (agent_id, project_id, channel, name, declared_by)
SELECT %(agent_id)s, %(project_id)s, %(channel)s, n.name, %(declared_by)s
FROM unnest(%(names)s::text[]) WITH ORDINALITY AS n (name, place)
ORDER BY n.place
RETURNING e.id
