-- How the builds of agents stand: the definer function counts them and shows no more.
-- in:  agents text[] or NULL (all), first_agent and last_agent (of them)
-- out: pending, quarantined, running, dead, rebuilds, oldest_s (seconds), ended (within the last minute)
-- uses: node_builds_open, node_builds_finished
SELECT s.pending, s.quarantined, s.running, s.dead, s.rebuilds, s.oldest_s, s.ended
FROM builds_summary_v1(%(agents)s::text[], %(first_agent)s::text, %(last_agent)s::text) s
