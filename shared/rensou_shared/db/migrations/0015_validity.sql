-- migrate:up

-- When a record or a relation is true: [valid_from, valid_to), where a null end is none. What is asserted anew supersedes
-- what stood and changes nothing of it: rows are only added and closed. One row a target is open.
CREATE SEQUENCE rensou.validity_ids AS bigint;
CREATE TABLE rensou.validity_assertions (
  agent_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL DEFAULT nextval('rensou.validity_ids'),
  record_id bigint,
  relation_id bigint,
  valid_from timestamptz,
  valid_to timestamptz,
  asserted_by text COLLATE "C" NOT NULL CHECK (asserted_by IN ('agent', 'operator')),
  recorded_at timestamptz NOT NULL,
  superseded_at timestamptz,
  PRIMARY KEY (agent_id, id),
  CHECK (num_nonnulls(record_id, relation_id) = 1),
  CHECK (valid_from < valid_to),
  CHECK (isfinite(valid_from) AND isfinite(valid_to)),
  CHECK (recorded_at <= superseded_at),
  FOREIGN KEY (agent_id, record_id) REFERENCES rensou.records (agent_id, id) ON DELETE CASCADE,
  FOREIGN KEY (agent_id, relation_id) REFERENCES rensou.relations (agent_id, id) ON DELETE CASCADE
);
-- Each of records or of relations alone: who looks for a record must not be given an index in which it is a filter, which
-- is read by the whole agent.
CREATE UNIQUE INDEX validity_open_record ON rensou.validity_assertions (agent_id, record_id)
  WHERE superseded_at IS NULL AND record_id IS NOT NULL;
CREATE UNIQUE INDEX validity_open_relation ON rensou.validity_assertions (agent_id, relation_id)
  WHERE superseded_at IS NULL AND relation_id IS NOT NULL;
CREATE INDEX validity_record ON rensou.validity_assertions (agent_id, record_id, recorded_at)
  WHERE record_id IS NOT NULL;
CREATE INDEX validity_relation ON rensou.validity_assertions (agent_id, relation_id, recorded_at)
  WHERE relation_id IS NOT NULL;

ALTER TABLE rensou.validity_assertions ENABLE ROW LEVEL SECURITY;
CREATE POLICY agent_wall ON rensou.validity_assertions
  USING (agent_id = current_setting('rensou.agent_id', true))
  WITH CHECK (agent_id = current_setting('rensou.agent_id', true));
GRANT USAGE ON SEQUENCE rensou.validity_ids TO rensou_recall;
GRANT SELECT, INSERT, UPDATE (superseded_at) ON rensou.validity_assertions TO rensou_recall;

-- The best of a period in both arms' eyes: its newest p_newest records in scope, each scored exactly. A record is of the
-- period when it happened in it, and when it is asserted to be true at some instant of it.
-- in: unit vector or NULL, active model, hashes of the words (64 bit), [start, end), scope, records scored at most, rows
-- an arm. out: how many records the period holds in scope (p_newest + 1: more than were scored), on every row; then
-- record, cosine, its rank from 1 or NULL, BM25 of the words, its rank from 1 or NULL, in no promised order. A period
-- of which neither arm finds a record gives one row without a record.
CREATE FUNCTION rensou.arm_cue_v1(
  p_query halfvec, p_model_id integer, p_words bigint[], p_start timestamptz, p_end timestamptz, p_project text,
  p_channel text, p_source text, p_source_prefix boolean, p_newest integer, p_depth integer
) RETURNS TABLE (
  held integer, record_id bigint, cosine double precision, vector_rank integer, bm25 double precision,
  lexical_rank integer
)
LANGUAGE sql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = rensou, public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
  WITH period AS MATERIALIZED (
    SELECT u.id, row_number() OVER (ORDER BY u.happened_at DESC, u.id DESC) AS nth
    FROM (
      (
        SELECT h.id, h.happened_at
        FROM records h
        WHERE h.agent_id = current_setting('rensou.agent_id', true)
          AND h.happened_at >= p_start
          AND h.happened_at < p_end
          AND h.retired_at IS NULL
          AND (p_project IS NULL OR h.project_id = p_project OR h.project_id = '')
          AND (p_channel = '' OR h.channel = p_channel OR h.channel = '')
          AND (p_source = '' OR h.source_id = p_source OR (p_source_prefix AND starts_with(h.source_id, p_source)))
        ORDER BY h.happened_at DESC, h.id DESC
        LIMIT p_newest + 1
      )
      UNION
      (
        SELECT k.id, k.happened_at
        FROM validity_assertions v
        CROSS JOIN LATERAL (
          SELECT n.id, n.happened_at, n.project_id, n.channel, n.source_id
          FROM records n
          WHERE n.agent_id = current_setting('rensou.agent_id', true)
            AND n.id = v.record_id
            AND n.retired_at IS NULL
          OFFSET 0
        ) k
        WHERE v.agent_id = current_setting('rensou.agent_id', true)
          AND v.superseded_at IS NULL
          AND v.record_id IS NOT NULL
          AND coalesce(v.valid_from < p_end, true)
          AND coalesce(v.valid_to > p_start, true)
          AND (p_project IS NULL OR k.project_id = p_project OR k.project_id = '')
          AND (p_channel = '' OR k.channel = p_channel OR k.channel = '')
          AND (p_source = '' OR k.source_id = p_source OR (p_source_prefix AND starts_with(k.source_id, p_source)))
        ORDER BY k.happened_at DESC, k.id DESC
        LIMIT p_newest + 1
      )
    ) u
    ORDER BY u.happened_at DESC, u.id DESC
    LIMIT p_newest + 1
  ),
  query AS MATERIALIZED (
    SELECT coalesce(('{' || string_agg(w.slot || ':' || w.idf, ',') || '}/999999937')::sparsevec, '{}/999999937') AS words
    FROM slot_weights_v1(ARRAY(SELECT term_slot(x.h) FROM unnest(p_words) AS x (h))) w
  ),
  scored AS MATERIALIZED (
    SELECT p.id,
           (SELECT -(v.embedding <#> p_query)
            FROM record_vectors v
            WHERE v.agent_id = current_setting('rensou.agent_id', true)
              AND v.record_id = p.id
              AND v.model_id = p_model_id
              AND p_query IS NOT NULL) AS cosine,
           coalesce((
             SELECT -(t.words <#> q.words)
             FROM record_terms t
             WHERE t.agent_id = current_setting('rensou.agent_id', true)
               AND t.record_id = p.id
           ), 0) AS bm25
    FROM period p
    CROSS JOIN query q
    WHERE p.nth <= p_newest
  ),
  ranked AS MATERIALIZED (
    SELECT s.id, s.cosine, s.bm25,
           CASE WHEN s.cosine IS NOT NULL THEN row_number() OVER (ORDER BY s.cosine DESC NULLS LAST, s.id) END AS vector_rank,
           CASE WHEN s.bm25 > 0 THEN row_number() OVER (ORDER BY s.bm25 DESC, s.id) END AS lexical_rank
    FROM scored s
  )
  SELECT h.held, x.id, x.cosine,
         CASE WHEN x.vector_rank <= p_depth THEN x.vector_rank END::integer,
         x.bm25,
         CASE WHEN x.lexical_rank <= p_depth THEN x.lexical_rank END::integer
  FROM (SELECT count(*)::integer AS held FROM period) h
  LEFT JOIN ranked x ON x.vector_rank <= p_depth OR x.lexical_rank <= p_depth
$$;

REVOKE ALL ON FUNCTION rensou.arm_cue_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou.arm_cue_v1 TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
