-- The workers' role reads what a worker reads and no more: lane_clock and schema_migrations when it takes lanes over,
-- location_history and eta_history where it samples. Warnings, and trips with their riders, it only adds to.
-- And it drops no day that is younger than the owner allows, so that a worker in wrong hands cannot empty the history.

CREATE FUNCTION shortest_history_retention() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 7 $$;
COMMENT ON FUNCTION shortest_history_retention() IS
    'The fewest days that others than the owner may keep when they maintain partitions; the owner may replace it.';

ALTER FUNCTION maintain_history_partitions(text, integer, integer) RENAME TO maintain_history_partitions_unbounded;

CREATE FUNCTION maintain_history_partitions(
    parent text, retention_days integer, days_ahead integer DEFAULT 3,
    OUT created integer, OUT dropped integer, OUT deleted bigint
)
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    -- Here current_user is the owner, and session_user is who logged in.
    IF retention_days BETWEEN 1 AND shortest_history_retention() - 1
        AND NOT pg_has_role(session_user, current_user, 'USAGE')
    THEN
        RAISE EXCEPTION 'only the owner may drop days younger than %', shortest_history_retention()
            USING ERRCODE = 'insufficient_privilege',
                HINT = 'Run sightline history maintain as the owner, or let it replace shortest_history_retention().';
    END IF;
    SELECT m.created, m.dropped, m.deleted INTO created, dropped, deleted
    FROM maintain_history_partitions_unbounded(parent, retention_days, days_ahead) m;
END
$$;
COMMENT ON FUNCTION maintain_history_partitions(text, integer, integer) IS
    'Makes partitions ahead, moves rows out of the default, and drops days older than retention_days (0 keeps all).';

DO $$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION maintain_history_partitions(text, integer, integer) SET search_path = %I, pg_temp',
        current_schema());
END
$$;
REVOKE ALL ON FUNCTION maintain_history_partitions(text, integer, integer) FROM PUBLIC;

CREATE OR REPLACE FUNCTION grant_history_roles() RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    granted text[] := '{}';
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['sightline_worker', 'sightline_reader'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role_name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
            END IF;
        EXCEPTION
            WHEN insufficient_privilege THEN
                CONTINUE;
            WHEN duplicate_object OR unique_violation THEN
                NULL;  -- roles belong to the whole server: another database's migration was quicker
        END;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role_name);
        EXECUTE format(
            'GRANT SELECT ON location_history, eta_history, lane_clock, schema_migrations TO %I', role_name);
        granted := granted || role_name;
    END LOOP;
    IF 'sightline_worker' = ANY (granted) THEN
        GRANT INSERT ON location_history, location_warnings, trip_events, eta_history, lane_clock TO sightline_worker;
        REVOKE SELECT ON location_warnings, trip_events FROM sightline_worker;
        REVOKE ALL ON FUNCTION maintain_history_partitions_unbounded(text, integer, integer) FROM sightline_worker;
        GRANT UPDATE ON lane_clock TO sightline_worker;
        GRANT EXECUTE ON FUNCTION ensure_history_partitions(date[]),
            maintain_history_partitions(text, integer, integer) TO sightline_worker;
    END IF;
    IF 'sightline_reader' = ANY (granted) THEN
        GRANT SELECT ON location_warnings, trip_events TO sightline_reader;
    END IF;
    RETURN granted;
END
$$;

SELECT grant_history_roles();
