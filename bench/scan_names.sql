-- Names and aliases that occur in a question, by looking at every one of them.
-- in:  agent_id text, question text, keep integer
-- out: entity_id bigint, normalized text
SELECT a.entity_id, a.normalized
FROM entity_aliases a
WHERE a.agent_id = %(agent_id)s
  AND strpos(%(question)s, a.normalized) > 0
ORDER BY length(a.normalized) DESC, a.normalized, a.entity_id
LIMIT %(keep)s
