-- Has a model built beside the active one, and no other.
-- in:  fingerprint, name, dimensions, token_window or NULL (tokens)
-- out: state (building, or active when it is that already); no row while there is no active model
SELECT m.state
FROM register_building_model_v1(
  %(fingerprint)s::text, %(name)s::text, %(dimensions)s::integer, %(token_window)s::integer
) m
