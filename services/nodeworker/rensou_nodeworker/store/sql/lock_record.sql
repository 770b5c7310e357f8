-- Keeps a record's text as it is until the transaction ends; two builds of one record write one after the other, which
-- FOR SHARE would not see to.
-- in:  agent_id, record_id
-- out: content_sha256
-- uses: records_pkey
SELECT r.content_sha256
FROM records r
WHERE r.agent_id = %(agent_id)s
  AND r.id = %(record_id)s
FOR NO KEY UPDATE
