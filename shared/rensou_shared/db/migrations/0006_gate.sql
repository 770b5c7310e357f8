-- migrate:up

-- What the relevance gate measures with. Questions that have nothing to do with any agent, embedded once a model, so
-- that every process compares with the same vectors; they are the service's own texts and hold nothing of an agent.
CREATE TABLE rensou.unrelated_questions (
  model_id integer NOT NULL REFERENCES rensou.embedding_models (id) ON DELETE CASCADE,
  questions_version smallint NOT NULL,
  script text COLLATE "C" NOT NULL,
  position smallint NOT NULL,
  embedding halfvec NOT NULL CHECK (abs(l2_norm(embedding) - 1) < 0.01),
  PRIMARY KEY (model_id, questions_version, script, position)
);
ALTER TABLE rensou.unrelated_questions ALTER COLUMN embedding SET STORAGE PLAIN;
GRANT SELECT, INSERT ON rensou.unrelated_questions TO rensou_recall;

-- An agent's live records in the order of their texts' hashes: its first are a sample that depends on nothing but the texts.
CREATE INDEX records_sample ON rensou.records (agent_id, content_sha256, id) WHERE retired_at IS NULL;

-- How much of the question each record says: the share of the words' weight (idf) that stands in it. A word that no
-- record of the agent holds weighs as the rarest. in: hashes of the question's words, records. out: record, share 0-1.
CREATE FUNCTION rensou.gate_words_v1(p_words bigint[], p_records bigint[])
RETURNS TABLE (record_id bigint, share double precision)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
  WITH words AS MATERIALIZED (
    SELECT u.h, w.idf::double precision AS idf
    FROM unnest(p_words) AS u (h)
    JOIN slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h))) w ON w.slot = term_slot(u.h)
  ),
  total AS MATERIALIZED (
    SELECT sum(w.idf ORDER BY w.h) AS idf FROM words w
  )
  SELECT t.record_id,
         coalesce((SELECT sum(w.idf ORDER BY w.h) FROM words w WHERE w.h = ANY (t.hashes)), 0) / n.idf
  FROM record_terms t
  CROSS JOIN total n
  WHERE t.agent_id = current_setting('rensou.agent_id', true)
    AND t.record_id = ANY (p_records)
    AND n.idf > 0
$$;
REVOKE ALL ON FUNCTION rensou.gate_words_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.gate_words_v1 TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
