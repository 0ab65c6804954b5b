-- Two roles to grant to login users: sightline_worker writes, sightline_reader asks. They cannot log in themselves, so
-- no password stands here. Made only if this user may; otherwise a database administrator makes them and runs
-- SELECT grant_history_roles().

CREATE FUNCTION grant_history_roles() RETURNS text[]
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
            'GRANT SELECT ON location_history, location_warnings, trip_events, eta_history, lane_clock, '
            'schema_migrations TO %I', role_name);
        granted := granted || role_name;
    END LOOP;
    IF 'sightline_worker' = ANY (granted) THEN
        GRANT INSERT ON location_history, location_warnings, trip_events, eta_history, lane_clock TO sightline_worker;
        GRANT UPDATE ON lane_clock TO sightline_worker;
        GRANT EXECUTE ON FUNCTION ensure_history_partitions(date[]),
            maintain_history_partitions(text, integer, integer) TO sightline_worker;
    END IF;
    RETURN granted;
END
$$;
COMMENT ON FUNCTION grant_history_roles() IS
    'Makes sightline_worker and sightline_reader where permitted, and grants them what they need; returns those granted.';
REVOKE ALL ON FUNCTION grant_history_roles() FROM PUBLIC;

SELECT grant_history_roles();
