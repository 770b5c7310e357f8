"""normalise_schema keeps the schema and nothing else."""

from rensou_embedded.schema_dump import normalise_schema

DUMP = r"""--
-- PostgreSQL database dump
--

\restrict 9sd8f7

-- Dumped from database version 18.4

SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);

CREATE FUNCTION rensou.f() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'rensou'
    AS $$
-- why this is so
BEGIN


SET x = 1;
END $$;


CREATE TABLE rensou.t (
    id bigint
);

\unrestrict 9sd8f7
"""


def test_comments_settings_and_keys_go_and_bodies_stay() -> None:
    text = normalise_schema(DUMP)
    assert text.startswith("CREATE FUNCTION rensou.f()")
    assert "-- why this is so\nBEGIN\n\n\nSET x = 1;" in text
    assert text.endswith("END $$;\n\nCREATE TABLE rensou.t (\n    id bigint\n);\n")


def test_it_is_idempotent() -> None:
    assert normalise_schema(normalise_schema(DUMP)) == normalise_schema(DUMP)
