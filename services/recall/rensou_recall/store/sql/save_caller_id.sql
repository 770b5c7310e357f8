-- Remembers which record a caller id means.
-- in:  agent_id, project_id, channel, caller_id, record_id, content_sha256
INSERT INTO record_caller_ids AS c (agent_id, project_id, channel, caller_id, record_id, content_sha256)
VALUES (%(agent_id)s, %(project_id)s, %(channel)s, %(caller_id)s, %(record_id)s, %(content_sha256)s)
