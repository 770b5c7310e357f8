-- Whether a build that a worker went down with is due, of any agent, and none of them runs: asked before everything else
-- is halted for it.
-- in:  rebuild (whether it is for the model that is built)
-- out: boolean
-- uses: node_builds_quarantined, node_builds_leased
SELECT EXISTS (
  SELECT
  FROM node_builds b
  WHERE b.state = 'pending'
    AND b.crashes > 0
    AND b.rebuild = %(rebuild)s
    AND b.next_at <= now()
)
AND NOT EXISTS (
  SELECT
  FROM node_builds q
  WHERE q.state = 'running'
    AND q.crashes > 0
)
