-- Entities that share a name or alias with another one of a place that a reader of one project and channel reads along.
-- Of two such places one has the other's project or one reads along with it, the global pool: each row looks from there
-- at those of its name in its own project and in the pool, so that one name in a thousand places costs a thousand looks.
-- in:  agent_id text, keep int
-- out: entity_id bigint, entities bigint and aliases bigint (how many there are of each, in every row)
-- uses: entity_aliases_normalized
WITH pairs AS MATERIALIZED (
  SELECT a.normalized, a.entity_id AS one, b.entity_id AS other
  FROM entity_aliases a
  CROSS JOIN LATERAL (
    (
      SELECT x.entity_id
      FROM entity_aliases x
      WHERE x.agent_id = %(agent_id)s
        AND x.normalized = a.normalized
        AND x.project_id = ANY (ARRAY[a.project_id, ''])
        AND x.channel = ANY (ARRAY[a.channel, ''])
        AND a.channel <> ''
    )
    UNION ALL
    (
      SELECT y.entity_id
      FROM entity_aliases y
      WHERE y.agent_id = %(agent_id)s
        AND y.normalized = a.normalized
        AND y.project_id = ANY (ARRAY[a.project_id, ''])
        AND a.channel = ''
    )
    OFFSET 0
  ) b
  WHERE a.agent_id = %(agent_id)s
    AND b.entity_id <> a.entity_id
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
