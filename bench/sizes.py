"""What the records of a database take on disk."""

import psycopg

_SIZES = b"""
SELECT c.relname,
       CASE c.relkind WHEN 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END
FROM pg_catalog.pg_class c
WHERE c.relnamespace = 'rensou'::regnamespace
  AND c.relkind IN ('r', 'i')
ORDER BY 2 DESC, c.relname
"""


def load_sizes(admin_dsn: str) -> dict[str, int]:
    """Bytes of each table of the service (its TOAST with it) and of each index, the largest first.

    Raises:
        psycopg.Error: The database does not answer.
    """
    with psycopg.connect(admin_dsn) as connection:
        return {str(name): int(size) for name, size in connection.execute(_SIZES)}
