-- Relations that could not be declared: of a thing with itself, or of places that no reader of one project and channel
-- reads together: their own, those of their ends, that of their anchor.
-- in:  agent_id text
-- out: id bigint, is_self boolean (else it crosses isolation)
-- uses: all relations of the agent, joined with what they name
SELECT r.id, coalesce(r.subject_entity = r.object_entity, r.subject_record = r.object_record, false) AS is_self
FROM relations r
LEFT JOIN entities se
  ON se.agent_id = %(agent_id)s
 AND se.id = r.subject_entity
LEFT JOIN records sr
  ON sr.agent_id = %(agent_id)s
 AND sr.id = r.subject_record
LEFT JOIN entities oe
  ON oe.agent_id = %(agent_id)s
 AND oe.id = r.object_entity
LEFT JOIN records ob
  ON ob.agent_id = %(agent_id)s
 AND ob.id = r.object_record
LEFT JOIN records x
  ON x.agent_id = %(agent_id)s
 AND x.id = r.anchor_record
WHERE r.agent_id = %(agent_id)s
  AND (
    r.subject_entity = r.object_entity
    OR r.subject_record = r.object_record
    -- Empty values belong to every place: of the others, the least is the greatest where there is one alone.
    OR least(nullif(r.project_id, ''), nullif(se.project_id, ''), nullif(sr.project_id, ''),
             nullif(oe.project_id, ''), nullif(ob.project_id, ''), nullif(x.project_id, ''))
       <> greatest(nullif(r.project_id, ''), nullif(se.project_id, ''), nullif(sr.project_id, ''),
             nullif(oe.project_id, ''), nullif(ob.project_id, ''), nullif(x.project_id, ''))
    OR least(nullif(r.channel, ''), nullif(se.channel, ''), nullif(sr.channel, ''),
             nullif(oe.channel, ''), nullif(ob.channel, ''), nullif(x.channel, ''))
       <> greatest(nullif(r.channel, ''), nullif(se.channel, ''), nullif(sr.channel, ''),
             nullif(oe.channel, ''), nullif(ob.channel, ''), nullif(x.channel, ''))
  )
ORDER BY r.id
