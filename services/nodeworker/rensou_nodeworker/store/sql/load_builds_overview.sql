-- Unfinished builds of all agents, counted, and how long the oldest pending one waits.
-- out: pending (neither of the next two), quarantined, rebuilds, running, dead, oldest of the first two (seconds)
-- uses: node_builds_due, node_builds_quarantined, node_builds_leased, node_builds_dead
SELECT
  sum(x.n) FILTER (WHERE x.state = 'pending'),
  sum(x.n) FILTER (WHERE x.state = 'quarantined'),
  sum(x.n) FILTER (WHERE x.state = 'rebuild'),
  sum(x.n) FILTER (WHERE x.state = 'running'),
  sum(x.n) FILTER (WHERE x.state = 'dead'),
  coalesce(extract(epoch FROM clock_timestamp() - min(x.oldest)), 0)::double precision
FROM (
  SELECT 'pending' AS state, count(*) AS n, min(b.created_at) AS oldest
  FROM node_builds b
  WHERE b.state = 'pending'
    AND b.crashes = 0
    AND NOT b.rebuild
  UNION ALL
  SELECT 'quarantined', count(*), min(b.created_at)
  FROM node_builds b
  WHERE b.state = 'pending'
    AND b.crashes > 0
  UNION ALL
  SELECT 'rebuild', count(*), NULL
  FROM node_builds b
  WHERE b.state = 'pending'
    AND b.crashes = 0
    AND b.rebuild
  UNION ALL
  SELECT 'running', count(*), NULL
  FROM node_builds b
  WHERE b.state = 'running'
  UNION ALL
  SELECT 'dead', count(*), NULL
  FROM node_builds b
  WHERE b.state = 'dead'
) x
