"""A plugin of pytest that fills the graph beneath any test: whatever is stored is declared to belong together.

`python -m pytest -p tests.filled_graph tests/…`: the tests are those that there are, unchanged. Every database that
they work on has a trigger which declares, with each record, an entity with its first words as another name, mentions, a
relation to the entity before it, and that the record supersedes the record before it.
"""

from collections.abc import Generator
from typing import Any

import psycopg
import pytest

_FILL = """
CREATE FUNCTION rensou.fill_graph() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = rensou, public, pg_temp AS $$
DECLARE
  entity bigint := nextval('rensou.entity_ids');
  said text := lower(left(btrim(NEW.content), 24));
BEGIN
  INSERT INTO entities (agent_id, id, project_id, channel, name, declared_by)
  VALUES (NEW.agent_id, entity, NEW.project_id, NEW.channel, said || ' ', 'agent');
  INSERT INTO entity_aliases (agent_id, project_id, channel, normalized, entity_id, alias, is_name)
  SELECT NEW.agent_id, NEW.project_id, NEW.channel, x.name, entity, x.name, x.is_name
  FROM (VALUES (NEW.id::text, true), (said, false)) AS x (name, is_name)
  WHERE x.name <> ''
  ON CONFLICT DO NOTHING;
  INSERT INTO entity_mentions (agent_id, entity_id, record_id, declared_by)
  SELECT NEW.agent_id, e.id, NEW.id, 'agent'
  FROM entities e
  WHERE e.agent_id = NEW.agent_id
  ORDER BY e.id DESC
  LIMIT 2;
  INSERT INTO relations (agent_id, project_id, channel, subject_entity, predicate, normalized_predicate, object_entity,
                         anchor_record, declared_by)
  SELECT NEW.agent_id, NEW.project_id, NEW.channel, entity, 'follows', 'follows', e.id, NEW.id, 'agent'
  FROM entities e
  WHERE e.agent_id = NEW.agent_id AND e.id < entity
  ORDER BY e.id DESC
  LIMIT 1;
  INSERT INTO relations (agent_id, project_id, channel, subject_record, predicate, normalized_predicate, object_record,
                         declared_by)
  SELECT NEW.agent_id, NEW.project_id, NEW.channel, NEW.id, 'supersedes', 'supersedes', r.id, 'agent'
  FROM records r
  WHERE r.agent_id = NEW.agent_id AND r.id < NEW.id
  ORDER BY r.id DESC
  LIMIT 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER fill_graph AFTER INSERT ON rensou.records FOR EACH ROW EXECUTE FUNCTION rensou.fill_graph();
"""


def fill(admin_dsn: str) -> None:
    """From now on whatever is stored in that database is declared, too."""
    with psycopg.connect(admin_dsn, autocommit=True) as admin:
        admin.execute(_FILL.encode())


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """Fills what the tests' databases are made from, and the database of the whole stack."""
    made = yield
    if fixturedef.argname == "postgres":
        fill(made)
    elif fixturedef.argname == "stack":
        fill(made.admin_dsn)
    return made
