-- From here to its end, the transaction reads what was known at a moment: the views of rensou_known stand before the
-- tables. A moment that has not come shows what is known now.
-- in:  known_at text (ISO 8601 with its offset)
-- out: nothing of interest
SELECT set_config('search_path', 'rensou_known, rensou, public', true),
       set_config('rensou.known_at', %(known_at)s, true)
