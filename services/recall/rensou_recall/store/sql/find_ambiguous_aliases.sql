-- Entities that share a name or alias with another one of a place that a reader of one project and channel reads along.
-- in:  agent_id text, keep int
-- out: entity_id bigint, entities bigint and aliases bigint (how many there are of each, in every row)
-- uses: entity_aliases_normalized
WITH pairs AS MATERIALIZED (
  SELECT a.normalized, a.entity_id AS one, b.entity_id AS other
  FROM entity_aliases a
  JOIN entity_aliases b
    ON b.agent_id = %(agent_id)s
   AND b.normalized = a.normalized
   AND b.entity_id > a.entity_id
  WHERE a.agent_id = %(agent_id)s
    AND (a.project_id = b.project_id OR '' IN (a.project_id, b.project_id))
    AND (a.channel = b.channel OR '' IN (a.channel, b.channel))
)
SELECT e.id, count(*) OVER (), (SELECT count(DISTINCT p.normalized) FROM pairs p)
FROM (
  SELECT p.one AS id
  FROM pairs p
  UNION
  SELECT q.other
  FROM pairs q
) e
ORDER BY e.id
LIMIT %(keep)s
