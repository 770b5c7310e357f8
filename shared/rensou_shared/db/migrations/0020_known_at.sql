-- migrate:up

-- The tables as they were known at a moment. A transaction that is asked for known_at puts this schema before rensou in
-- its search path and names the moment: every statement then reads these views by the names that it knows, and what is
-- asked of one axis composes with the other. Without a moment they hold nothing. They read as their caller: the wall
-- between agents is that of the tables. What has no view here is read as it is today. The last migration, since it
-- names the columns of all of them: a test holds each view against its table.

CREATE FUNCTION rensou_known.moment() RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('rensou.known_at', true), '')::timestamptz;
REVOKE ALL ON FUNCTION rensou_known.moment FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou_known.moment TO rensou_recall;

-- In the text of that time: the last revision that had begun by then. Where it stood, whom it came from and whether it
-- is locked or retired are today's.
CREATE VIEW rensou_known.records WITH (security_invoker = true) AS
SELECT r.agent_id, r.id, r.kind, r.project_id, r.channel,
       CASE WHEN g.revision IS NULL THEN r.content ELSE g.content END AS content,
       CASE WHEN g.revision IS NULL THEN r.content_sha256 ELSE g.content_sha256 END AS content_sha256,
       CASE WHEN g.revision IS NULL THEN r.content_chars ELSE char_length(g.content) END AS content_chars,
       r.source_type, r.source_id, r.source_name, r.session_id, r.occurred_at, r.ended_at, r.metadata, r.locked,
       coalesce(g.revision, r.revision) AS revision, r.created_at,
       CASE WHEN g.revision IS NULL THEN r.revised_at WHEN g.revision > 1 THEN g.current_from END AS revised_at,
       r.happened_at, r.retired_at, r.certainty
FROM rensou.records r
LEFT JOIN LATERAL (
  SELECT v.revision, v.content, v.content_sha256, v.current_from
  FROM rensou.record_revisions v
  WHERE v.agent_id = r.agent_id
    AND v.record_id = r.id
    AND coalesce(r.revised_at, r.created_at) > (SELECT rensou_known.moment())
    AND v.current_from <= (SELECT rensou_known.moment())
  ORDER BY v.revision DESC
  LIMIT 1
) g ON true
WHERE r.created_at <= (SELECT rensou_known.moment())
  AND (coalesce(r.revised_at, r.created_at) <= (SELECT rensou_known.moment()) OR g.revision IS NOT NULL);

-- Which former text of a record that was revised since was its text then. What is retired now is in no search.
CREATE VIEW rensou_known.former_texts WITH (security_invoker = true) AS
SELECT r.agent_id, r.id AS record_id, v.revision, r.project_id, r.channel, r.source_id, r.session_id, r.occurred_at,
       r.source_name, r.retired_at IS NOT NULL AS is_retired
FROM rensou.records r
JOIN rensou.record_revisions v ON v.agent_id = r.agent_id AND v.record_id = r.id
WHERE r.created_at <= (SELECT rensou_known.moment())
  AND r.revised_at > (SELECT rensou_known.moment())
  AND v.current_from <= (SELECT rensou_known.moment())
  AND NOT EXISTS (
    SELECT
    FROM rensou.record_revisions n
    WHERE n.agent_id = v.agent_id
      AND n.record_id = v.record_id
      AND n.revision > v.revision
      AND n.current_from <= (SELECT rensou_known.moment())
  );

CREATE VIEW rensou_known.record_vectors WITH (security_invoker = true) AS
SELECT v.agent_id, v.record_id, v.model_id, v.project_id, v.channel, v.source_id, v.token_count, v.embedding,
       v.dimensions, v.covered, v.ann_lane
FROM rensou.record_vectors v
JOIN rensou.records r ON r.agent_id = v.agent_id AND r.id = v.record_id
WHERE r.created_at <= (SELECT rensou_known.moment())
  AND coalesce(r.revised_at, r.created_at) <= (SELECT rensou_known.moment())
UNION ALL
SELECT v.agent_id, v.record_id, v.model_id, f.project_id, f.channel, f.source_id, v.token_count, v.embedding,
       vector_dims(v.embedding), vector_dims(v.embedding) <= 1024, NULL::smallint
FROM rensou_known.former_texts f
JOIN rensou.revision_vectors v ON v.agent_id = f.agent_id AND v.record_id = f.record_id AND v.revision = f.revision
WHERE NOT f.is_retired;

CREATE VIEW rensou_known.retired_vectors WITH (security_invoker = true) AS
SELECT v.agent_id, v.record_id, v.model_id, v.token_count, v.embedding, v.dimensions
FROM rensou.retired_vectors v
JOIN rensou.records r ON r.agent_id = v.agent_id AND r.id = v.record_id
WHERE r.created_at <= (SELECT rensou_known.moment())
  AND coalesce(r.revised_at, r.created_at) <= (SELECT rensou_known.moment())
UNION ALL
SELECT v.agent_id, v.record_id, v.model_id, v.token_count, v.embedding, vector_dims(v.embedding)
FROM rensou_known.former_texts f
JOIN rensou.revision_vectors v ON v.agent_id = f.agent_id AND v.record_id = f.record_id AND v.revision = f.revision
WHERE f.is_retired;

CREATE VIEW rensou_known.record_terms WITH (security_invoker = true) AS
SELECT t.agent_id, t.record_id, t.terms_version, t.project_id, t.channel, t.source_id, t.hashes, t.words, t.trigrams,
       t.session_id, t.occurred_at, t.traits, t.source_name
FROM rensou.record_terms t
JOIN rensou.records r ON r.agent_id = t.agent_id AND r.id = t.record_id
WHERE r.created_at <= (SELECT rensou_known.moment())
  AND coalesce(r.revised_at, r.created_at) <= (SELECT rensou_known.moment())
UNION ALL
SELECT t.agent_id, t.record_id, t.terms_version, f.project_id, f.channel, f.source_id, t.hashes, t.words, t.trigrams,
       f.session_id, coalesce(f.occurred_at, '-infinity'), t.traits, f.source_name
FROM rensou_known.former_texts f
JOIN rensou.revision_terms t ON t.agent_id = f.agent_id AND t.record_id = f.record_id AND t.revision = f.revision
WHERE NOT f.is_retired;

CREATE VIEW rensou_known.retired_terms WITH (security_invoker = true) AS
SELECT t.agent_id, t.record_id, t.terms_version, t.hashes, t.words, t.trigrams, t.traits
FROM rensou.retired_terms t
JOIN rensou.records r ON r.agent_id = t.agent_id AND r.id = t.record_id
WHERE r.created_at <= (SELECT rensou_known.moment())
  AND coalesce(r.revised_at, r.created_at) <= (SELECT rensou_known.moment())
UNION ALL
SELECT t.agent_id, t.record_id, t.terms_version, t.hashes, t.words, t.trigrams, t.traits
FROM rensou_known.former_texts f
JOIN rensou.revision_terms t ON t.agent_id = f.agent_id AND t.record_id = f.record_id AND t.revision = f.revision
WHERE f.is_retired;

-- Nodes are of the current text alone: a former one is quoted from its start, or whole.
CREATE VIEW rensou_known.record_nodes WITH (security_invoker = true) AS
SELECT n.agent_id, n.record_id, n.node_index, n.start_char, n.end_char, n.token_count, n.token_window, n.model_id,
       n.divider_version, n.embedding, n.dimensions
FROM rensou.record_nodes n
JOIN rensou.records r ON r.agent_id = n.agent_id AND r.id = n.record_id
WHERE r.created_at <= (SELECT rensou_known.moment())
  AND coalesce(r.revised_at, r.created_at) <= (SELECT rensou_known.moment());

CREATE VIEW rensou_known.entities WITH (security_invoker = true) AS
SELECT e.agent_id, e.id, e.project_id, e.channel, e.name, e.declared_by, e.created_at
FROM rensou.entities e
WHERE e.created_at <= (SELECT rensou_known.moment())
UNION ALL
SELECT h.agent_id, h.id, h.project_id, h.channel, h.name, h.declared_by, h.created_at
FROM rensou.entity_history h
WHERE h.created_at <= (SELECT rensou_known.moment()) AND h.deleted_at > (SELECT rensou_known.moment());

CREATE VIEW rensou_known.entity_aliases WITH (security_invoker = true) AS
SELECT a.agent_id, a.project_id, a.channel, a.normalized, a.entity_id, a.alias, a.is_name, a.created_at
FROM rensou.entity_aliases a
WHERE a.created_at <= (SELECT rensou_known.moment())
UNION ALL
SELECT h.agent_id, h.project_id, h.channel, h.normalized, h.entity_id, h.alias, h.is_name, h.created_at
FROM rensou.alias_history h
WHERE h.created_at <= (SELECT rensou_known.moment()) AND h.deleted_at > (SELECT rensou_known.moment());

-- A mention came and went as often as it was declared: where clocks that ran backwards make two of its times overlap,
-- the one that stands counts, then the later.
CREATE VIEW rensou_known.entity_mentions WITH (security_invoker = true) AS
SELECT m.agent_id, m.entity_id, m.record_id, m.declared_by, m.created_at
FROM rensou.entity_mentions m
WHERE m.created_at <= (SELECT rensou_known.moment())
UNION ALL
SELECT h.agent_id, h.entity_id, h.record_id, h.declared_by, h.declared_at
FROM rensou.mention_history h
WHERE h.declared_at <= (SELECT rensou_known.moment())
  AND h.retracted_at > (SELECT rensou_known.moment())
  AND NOT EXISTS (
    SELECT
    FROM rensou.entity_mentions m
    WHERE m.agent_id = h.agent_id
      AND m.entity_id = h.entity_id
      AND m.record_id = h.record_id
      AND m.created_at <= (SELECT rensou_known.moment())
  )
  AND NOT EXISTS (
    SELECT
    FROM rensou.mention_history n
    WHERE n.agent_id = h.agent_id
      AND n.entity_id = h.entity_id
      AND n.record_id = h.record_id
      AND n.id > h.id
      AND n.declared_at <= (SELECT rensou_known.moment())
      AND n.retracted_at > (SELECT rensou_known.moment())
  );

CREATE VIEW rensou_known.relations WITH (security_invoker = true) AS
SELECT s.agent_id, s.id, s.project_id, s.channel, s.subject_entity, s.subject_record, s.predicate,
       s.normalized_predicate, s.object_entity, s.object_record, s.anchor_record, s.declared_by, s.declared_at,
       CASE WHEN EXISTS (
         SELECT
         FROM rensou.former_certainties f
         WHERE f.agent_id = s.agent_id AND f.relation_id = s.id AND f.superseded_at > (SELECT rensou_known.moment())
       ) THEN (
         SELECT f.certainty
         FROM rensou.former_certainties f
         WHERE f.agent_id = s.agent_id AND f.relation_id = s.id AND f.superseded_at > (SELECT rensou_known.moment())
         ORDER BY f.superseded_at, f.id
         LIMIT 1
       ) ELSE s.certainty END AS certainty
FROM rensou.relations s
WHERE s.declared_at <= (SELECT rensou_known.moment())
UNION ALL
SELECT h.agent_id, h.id, h.project_id, h.channel, h.subject_entity, h.subject_record, h.predicate,
       h.normalized_predicate, h.object_entity, h.object_record, h.anchor_record, h.declared_by, h.declared_at,
       NULL::text
FROM rensou.relation_history h
WHERE h.declared_at <= (SELECT rensou_known.moment()) AND h.retracted_at > (SELECT rensou_known.moment());

-- Every relation between entities is an edge, in both directions; of a pair the readers take the newest.
CREATE VIEW rensou_known.entity_edges WITH (security_invoker = true) AS
SELECT s.agent_id, s.project_id, s.channel, s.subject_entity AS from_entity, s.object_entity AS to_entity,
       s.id AS relation_id, s.declared_at
FROM rensou_known.relations s
WHERE s.subject_entity IS NOT NULL AND s.object_entity IS NOT NULL
UNION ALL
SELECT s.agent_id, s.project_id, s.channel, s.object_entity, s.subject_entity, s.id, s.declared_at
FROM rensou_known.relations s
WHERE s.subject_entity IS NOT NULL AND s.object_entity IS NOT NULL;

-- What was open then stands as open.
CREATE VIEW rensou_known.validity_assertions WITH (security_invoker = true) AS
SELECT v.agent_id, v.id, v.record_id, v.relation_id, v.valid_from, v.valid_to, v.asserted_by, v.recorded_at,
       NULL::timestamptz AS superseded_at
FROM rensou.validity_assertions v
WHERE v.recorded_at <= (SELECT rensou_known.moment())
  AND coalesce(v.superseded_at, 'infinity') > (SELECT rensou_known.moment())
UNION ALL
SELECT h.agent_id, h.id, NULL::bigint, h.relation_id, h.valid_from, h.valid_to, h.asserted_by, h.recorded_at,
       NULL::timestamptz
FROM rensou.validity_history h
WHERE h.recorded_at <= (SELECT rensou_known.moment())
  AND coalesce(h.superseded_at, 'infinity') > (SELECT rensou_known.moment());

GRANT SELECT ON ALL TABLES IN SCHEMA rensou_known TO rensou_recall;

-- What is read from the order of an index above is looked through here: a question names few of an agent's names.
CREATE FUNCTION rensou_known.question_names_v1(p_question text, p_project text, p_channel text, p_keep integer)
RETURNS TABLE (entity_id bigint, normalized text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT a.entity_id, a.normalized
  FROM rensou_known.entity_aliases a
  WHERE a.agent_id = current_setting('rensou.agent_id', true)
    AND strpos(p_question, a.normalized) > 0
    AND (p_project IS NULL OR a.project_id = p_project OR a.project_id = '')
    AND (p_channel = '' OR a.channel = p_channel OR a.channel = '')
  ORDER BY length(a.normalized) DESC, a.normalized, a.entity_id
  LIMIT p_keep
$$;

-- Lanes hold today's vectors: what was known is searched exactly.
CREATE FUNCTION rensou_known.ann_lane_v1(p_model_id integer) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN NULL::smallint;

REVOKE ALL ON FUNCTION rensou_known.question_names_v1, rensou_known.ann_lane_v1 FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rensou_known.question_names_v1 TO rensou_recall;

-- The arms score as they always do: the same bodies, over these views. The planner may choose here what it is held to
-- there, since the order of an index is lost behind a view.
DO $$
DECLARE
  v_function regprocedure;
  v_definition text;
BEGIN
  FOR v_function IN
    SELECT p.oid
    FROM pg_catalog.pg_proc p
    WHERE p.pronamespace = 'rensou'::regnamespace
      AND p.proname IN ('arm_exact_v1', 'arm_lexical_v1', 'arm_cue_v1', 'arm_retired_v1', 'gate_words_v1', 'recall_candidates_v1',
                        'current_nodes_v1')
    ORDER BY p.proname
  LOOP
    v_definition := pg_get_functiondef(v_function);
    v_definition := replace(v_definition, 'FUNCTION rensou.', 'FUNCTION rensou_known.');
    v_definition := replace(v_definition, 'FROM rensou.', 'FROM rensou_known.');
    v_definition := replace(v_definition, $s$SET search_path TO 'rensou',$s$,
                            $s$SET search_path TO 'rensou_known', 'rensou',$s$);
    v_definition := regexp_replace(v_definition, E'\n SET enable_\\w+ TO ''off''', '', 'g');
    v_definition := replace(v_definition, 'force_generic_plan', 'force_custom_plan');
    EXECUTE v_definition;
  END LOOP;
  FOR v_function IN
    SELECT p.oid FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'rensou_known'::regnamespace ORDER BY p.proname
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
  END LOOP;
END
$$;
GRANT EXECUTE ON FUNCTION rensou_known.arm_cue_v1, rensou_known.arm_retired_v1, rensou_known.gate_words_v1,
  rensou_known.recall_candidates_v1, rensou_known.current_nodes_v1 TO rensou_recall;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
