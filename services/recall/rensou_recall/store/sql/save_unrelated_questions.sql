-- The vectors of the questions that have nothing to do with any agent; the first to come stay.
-- in:  model_id, questions_version, script, embeddings halfvec[] in the order of the questions
INSERT INTO unrelated_questions AS q (model_id, questions_version, script, position, embedding)
SELECT %(model_id)s, %(questions_version)s, %(script)s, u.position, u.embedding
FROM unnest(%(embeddings)s::halfvec[]) WITH ORDINALITY AS u (embedding, position)
ORDER BY u.position
ON CONFLICT DO NOTHING
