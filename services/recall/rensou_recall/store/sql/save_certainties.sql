-- States how sure declared relations are: the latest stands, and what stood is kept with the time it ended. One that is
-- stated as it stands is left alone; of what the transaction has just declared nothing former is kept.
-- in:  agent_id text; by position: relation_ids bigint[], certainties text[], are_new boolean[]
-- out: id, one row a relation that changed
-- uses: the primary key of relations
WITH given AS MATERIALIZED (
  SELECT g.relation_id, g.certainty, g.is_new, r.certainty AS stood
  FROM unnest(%(relation_ids)s::bigint[], %(certainties)s::text[], %(are_new)s::boolean[])
    AS g (relation_id, certainty, is_new)
  JOIN relations r
    ON r.agent_id = %(agent_id)s
    AND r.id = g.relation_id
  WHERE r.certainty IS DISTINCT FROM g.certainty
),
kept AS (
  INSERT INTO former_certainties AS f (agent_id, relation_id, certainty, superseded_at)
  SELECT %(agent_id)s, g.relation_id, g.stood, statement_timestamp()
  FROM given g
  WHERE NOT g.is_new
  RETURNING f.id
)
UPDATE relations AS s
SET certainty = g.certainty
FROM given g
WHERE s.agent_id = %(agent_id)s
  AND s.id = g.relation_id
RETURNING s.id
