-- migrate:up

-- When a record happened, as far as anybody knows, and the way to the newest of a period. The scope stands in the index
-- so that records of other scopes in between are passed without being read. A column and no expression: the planner
-- reads an expression from its index alone only when the columns that it is made of stand there as well.
ALTER TABLE rensou.records
  ADD COLUMN happened_at timestamptz NOT NULL GENERATED ALWAYS AS (coalesce(occurred_at, created_at)) STORED;
CREATE INDEX records_time ON rensou.records (agent_id, happened_at, id) INCLUDE (project_id, channel, source_id);

-- The best of a period in both arms' eyes: its newest p_newest records in scope, each scored exactly.
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
    SELECT r.id, row_number() OVER (ORDER BY r.happened_at DESC, r.id DESC) AS nth
    FROM records r
    WHERE r.agent_id = current_setting('rensou.agent_id', true)
      AND r.happened_at >= p_start
      AND r.happened_at < p_end
      AND (p_project IS NULL OR r.project_id = p_project OR r.project_id = '')
      AND (p_channel = '' OR r.channel = p_channel OR r.channel = '')
      AND (p_source = '' OR r.source_id = p_source OR (p_source_prefix AND starts_with(r.source_id, p_source)))
    ORDER BY r.happened_at DESC, r.id DESC
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
