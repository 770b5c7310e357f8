-- Names and aliases that occur in a question, longest first.
-- in:  question text (normal form, not empty), scope, keep integer
-- out: entity_id, normalized
-- uses: the primary key of entity_aliases
SELECT a.entity_id, a.normalized
FROM entity_aliases a
WHERE a.agent_id = %(agent_id)s
  AND (%(project_id)s::text IS NULL OR a.project_id = %(project_id)s OR a.project_id = '')
  AND (%(channel)s = '' OR a.channel = %(channel)s OR a.channel = '')
  AND strpos(%(question)s, a.normalized) > 0
ORDER BY length(a.normalized) DESC, a.normalized, a.entity_id
LIMIT %(keep)s
