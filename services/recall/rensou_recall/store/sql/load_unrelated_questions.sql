-- The vectors of the questions that have nothing to do with any agent, under a model.
-- in:  model_id, questions_version, script
-- out: embedding, in the order of the questions
SELECT q.embedding
FROM unrelated_questions q
WHERE q.model_id = %(model_id)s
  AND q.questions_version = %(questions_version)s
  AND q.script = %(script)s
ORDER BY q.position
