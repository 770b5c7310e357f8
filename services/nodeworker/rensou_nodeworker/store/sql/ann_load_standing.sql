-- How the transaction's agent stands in the lanes of a model.
-- in:  model_id
-- out: records, share 0..1, state or NULL, any_unflagged, any_flagged, seen_by_all
SELECT s.records, s.share, s.state, s.any_unflagged, s.any_flagged, s.seen_by_all
FROM ann_standing_v1(%(model_id)s::integer) s
