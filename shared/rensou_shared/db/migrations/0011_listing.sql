-- migrate:up

-- An entity may be deleted; what names it goes with it, by the foreign keys that stand.
GRANT DELETE ON rensou.entities TO rensou_recall;

-- An edge never outlives the relation that it shows. Checked at the end of the transaction: by then the trigger on
-- relations has given the pair its next relation, locking the two edges of a pair lower entity first, as inserts do.
DELETE FROM rensou.entity_edges e
WHERE NOT EXISTS (SELECT FROM rensou.relations r WHERE r.agent_id = e.agent_id AND r.id = e.relation_id);
CREATE INDEX entity_edges_relation ON rensou.entity_edges (agent_id, relation_id);
ALTER TABLE rensou.entity_edges ADD CONSTRAINT entity_edges_relation_fkey
  FOREIGN KEY (agent_id, relation_id) REFERENCES rensou.relations (agent_id, id) DEFERRABLE INITIALLY DEFERRED;

-- What pages are read from: each gives one way of choosing in the order of the numbers.
CREATE INDEX entities_place ON rensou.entities (agent_id, project_id, id);
CREATE INDEX relations_place ON rensou.relations (agent_id, project_id, id);
CREATE INDEX relations_subject_entity_id ON rensou.relations (agent_id, subject_entity, id)
  WHERE subject_entity IS NOT NULL;
DROP INDEX rensou.relations_object_entity;
CREATE INDEX relations_object_entity ON rensou.relations (agent_id, object_entity, id) WHERE object_entity IS NOT NULL;
DROP INDEX rensou.relations_subject_record;
CREATE INDEX relations_subject_record ON rensou.relations (agent_id, subject_record, id)
  WHERE subject_record IS NOT NULL;
DROP INDEX rensou.relations_object_record;
CREATE INDEX relations_object_record ON rensou.relations (agent_id, object_record, id) WHERE object_record IS NOT NULL;

-- What is said of one subject by one predicate stands together.
CREATE INDEX relations_statements ON rensou.relations (agent_id, subject_entity, normalized_predicate, id)
  WHERE subject_entity IS NOT NULL AND object_entity IS NOT NULL;

-- migrate:down
DO $$ BEGIN RAISE EXCEPTION 'migrations go forward only: restore a backup, or write the next migration'; END $$;
