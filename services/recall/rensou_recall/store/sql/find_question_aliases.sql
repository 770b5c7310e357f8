-- Names and aliases that occur in a question, longest first.
-- in:  question text (normal form, not empty), scope, keep integer
-- out: entity_id, normalized
-- uses: entity_aliases_normalized; the function reads the agent from the transaction's setting
SELECT n.entity_id, n.normalized
FROM question_names_v1(%(question)s::text, %(project_id)s::text, %(channel)s::text, %(keep)s::integer) n
ORDER BY length(n.normalized) DESC, n.normalized, n.entity_id
