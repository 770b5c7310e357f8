-- Deletes a record; foreign keys take everything derived from it along. The counts are of what stood before.
-- in:  agent_id, record_id
-- out: revisions, vectors, terms, nodes, builds, mentions, relations, caller_ids, retirements; what a retired record has
--      aside is counted with the rest
-- uses: the primary keys and the indexes on record ends of relations
WITH counted AS MATERIALIZED (
  SELECT
    (SELECT count(*) FROM record_revisions a
     WHERE a.agent_id = %(agent_id)s
       AND a.record_id = %(record_id)s) AS revisions,
    (SELECT count(*) FROM record_vectors a
     WHERE a.agent_id = %(agent_id)s
       AND a.record_id = %(record_id)s)
      + (SELECT count(*) FROM retired_vectors a
         WHERE a.agent_id = %(agent_id)s
           AND a.record_id = %(record_id)s) AS vectors,
    (SELECT count(*) FROM record_terms a
     WHERE a.agent_id = %(agent_id)s
       AND a.record_id = %(record_id)s)
      + (SELECT count(*) FROM retired_terms a
         WHERE a.agent_id = %(agent_id)s
           AND a.record_id = %(record_id)s) AS terms,
    (SELECT count(*) FROM record_nodes a
     WHERE a.agent_id = %(agent_id)s
       AND a.record_id = %(record_id)s) AS nodes,
    (SELECT count(*) FROM node_builds a
     WHERE a.agent_id = %(agent_id)s
       AND a.record_id = %(record_id)s) AS builds,
    (SELECT count(*) FROM entity_mentions a
     WHERE a.agent_id = %(agent_id)s
       AND a.record_id = %(record_id)s) AS mentions,
    (SELECT count(*) FROM relations a
     WHERE a.agent_id = %(agent_id)s
       AND %(record_id)s IN (a.subject_record, a.object_record, a.anchor_record)) AS relations,
    (SELECT count(*) FROM record_caller_ids a
     WHERE a.agent_id = %(agent_id)s
       AND a.record_id = %(record_id)s)
      + (SELECT count(*) FROM retired_caller_ids a
         WHERE a.agent_id = %(agent_id)s
           AND a.record_id = %(record_id)s) AS caller_ids,
    (SELECT count(*) FROM record_retirements a
     WHERE a.agent_id = %(agent_id)s
       AND a.record_id = %(record_id)s) AS retirements
),
gone AS (
  DELETE FROM records AS r
  WHERE r.agent_id = %(agent_id)s
    AND r.id = %(record_id)s
  RETURNING r.id
)
SELECT c.revisions, c.vectors, c.terms, c.nodes, c.builds, c.mentions, c.relations, c.caller_ids,
       c.retirements
FROM counted c
CROSS JOIN gone g
