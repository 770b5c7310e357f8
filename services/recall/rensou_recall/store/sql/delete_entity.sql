-- Deletes an entity; foreign keys take its names, its mentions and its relations along. The counts are of what stood
-- before.
-- in:  agent_id text, entity_id bigint
-- out: aliases, mentions, relations bigint; no row when the agent has no such entity
-- uses: the primary keys, entity_aliases_entity, relations_subject_entity_id, relations_object_entity
WITH counted AS MATERIALIZED (
  SELECT
    (SELECT count(*) FROM entity_aliases a
     WHERE a.agent_id = %(agent_id)s
       AND a.entity_id = %(entity_id)s
       AND NOT a.is_name) AS aliases,
    (SELECT count(*) FROM entity_mentions m
     WHERE m.agent_id = %(agent_id)s
       AND m.entity_id = %(entity_id)s) AS mentions,
    (SELECT count(*) FROM relations r
     WHERE r.agent_id = %(agent_id)s
       AND (r.subject_entity = %(entity_id)s OR r.object_entity = %(entity_id)s)) AS relations
),
gone AS (
  DELETE FROM entities AS e
  WHERE e.agent_id = %(agent_id)s
    AND e.id = %(entity_id)s
  RETURNING e.id
)
SELECT c.aliases, c.mentions, c.relations
FROM counted c
CROSS JOIN gone g
