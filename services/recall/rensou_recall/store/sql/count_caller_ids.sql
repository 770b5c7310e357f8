-- Caller ids that name a record, and those of it that name others now.
-- in:  agent_id, record_id
-- out: two counts
-- uses: record_caller_ids_record, the primary key of retired_caller_ids
SELECT
  (SELECT count(*) FROM record_caller_ids c
   WHERE c.agent_id = %(agent_id)s
     AND c.record_id = %(record_id)s),
  (SELECT count(*) FROM retired_caller_ids x
   WHERE x.agent_id = %(agent_id)s
     AND x.record_id = %(record_id)s)
