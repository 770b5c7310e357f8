-- Puts the transaction's agent into a lane of the model.
-- in:  model_id, least_share 0..1
-- out: lane, or NULL when none takes it
SELECT ann_enter_v1(%(model_id)s::integer, %(least_share)s::double precision)
