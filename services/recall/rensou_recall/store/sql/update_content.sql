-- A new text: triggers keep the former one, drop what was derived from it and queue a build.
-- in:  agent_id, record_id, content
-- out: revision
UPDATE records AS r
SET content = %(content)s
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
RETURNING r.revision
