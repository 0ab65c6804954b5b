-- Two roles to grant to login users: sightline_worker writes, sightline_reader queries. They cannot log in, so no password
-- is stored here. They are created if the current user may create roles; otherwise an administrator creates them, and the
-- owner then runs SELECT grant_history_roles().
--
-- sightline_worker reads only what a worker reads: sink_progress and schema_migrations when partitions are assigned,
-- location_history and eta_history for sampling. It can insert into the other history tables, but not read them.

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
                NULL;  -- roles belong to the whole server: another database's migration created it first
        END;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role_name);
        EXECUTE format(
            'GRANT SELECT ON location_history, eta_history, sink_progress, schema_migrations TO %I', role_name);
        granted := granted || role_name;
    END LOOP;
    IF 'sightline_worker' = ANY (granted) THEN
        GRANT INSERT ON location_history, smoothed_locations, location_warnings, trip_events, eta_history,
            trip_warnings, sink_progress TO sightline_worker;
        REVOKE SELECT ON location_warnings, trip_events, trip_warnings FROM sightline_worker;
        REVOKE ALL ON FUNCTION maintain_history_partitions_unbounded(text, integer, integer) FROM sightline_worker;
        GRANT UPDATE ON sink_progress TO sightline_worker;
        GRANT EXECUTE ON FUNCTION ensure_history_partitions(date[]),
            maintain_history_partitions(text, integer, integer) TO sightline_worker;
    END IF;
    IF 'sightline_reader' = ANY (granted) THEN
        GRANT SELECT ON smoothed_locations, location_warnings, trip_events, trip_warnings, route_deviations
            TO sightline_reader;
    END IF;
    RETURN granted;
END
$$;
COMMENT ON FUNCTION grant_history_roles() IS
    'Creates sightline_worker and sightline_reader if permitted, grants them their rights, and returns the roles granted.';

REVOKE ALL ON FUNCTION grant_history_roles() FROM PUBLIC;

SELECT grant_history_roles();
