-- What an administrator prepares once in the service's database: roles, the schema and the extension.
-- Run as a superuser (or as a role with CREATEROLE that owns the database). Idempotent.
-- The owner of the tables cannot log in; no login role owns a table, so row-level security binds every one of them.
DO $$
DECLARE
  v_role text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = 'rensou_owner') THEN
    CREATE ROLE rensou_owner NOLOGIN;
  END IF;
  FOREACH v_role IN ARRAY ARRAY['rensou_migrator', 'rensou_recall', 'rensou_worker'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = v_role) THEN
      EXECUTE format('CREATE ROLE %I LOGIN', v_role);
    END IF;
    IF (SELECT r.rolbypassrls FROM pg_catalog.pg_roles r WHERE r.rolname = v_role) THEN
      EXECUTE format('ALTER ROLE %I NOBYPASSRLS', v_role);
    END IF;
  END LOOP;
END
$$;

-- The migrator works as the owner, so that whatever a migration makes belongs to the owner.
GRANT rensou_owner TO rensou_migrator;
ALTER ROLE rensou_migrator SET role = 'rensou_owner';

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
CREATE SCHEMA IF NOT EXISTS rensou AUTHORIZATION rensou_owner;
-- The same tables as they were at a moment: views that statements read instead where known_at is asked.
CREATE SCHEMA IF NOT EXISTS rensou_known AUTHORIZATION rensou_owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA rensou TO rensou_recall, rensou_worker;
GRANT USAGE ON SCHEMA rensou_known TO rensou_recall;

-- A transaction that its service has forgotten must not hold locks for ever.
ALTER ROLE rensou_recall SET search_path = rensou, public;
ALTER ROLE rensou_recall SET lock_timeout = '5s';
ALTER ROLE rensou_recall SET idle_in_transaction_session_timeout = '30s';
-- A driver reads the times of this zone without looking any other up.
ALTER ROLE rensou_recall SET timezone = 'UTC';
ALTER ROLE rensou_worker SET timezone = 'UTC';
ALTER ROLE rensou_worker SET search_path = rensou, public;
ALTER ROLE rensou_worker SET lock_timeout = '10s';
ALTER ROLE rensou_worker SET idle_in_transaction_session_timeout = '60s';
