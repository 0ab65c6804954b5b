-- Days come and go. The functions run with their owner's rights (SECURITY DEFINER), so that the workers' user, who may
-- insert and select but not create or drop, can ask for partitions within the bounds set here and nothing else.

CREATE FUNCTION history_tables() RETURNS TABLE (table_name text, time_column text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    VALUES ('location_history', 'received_at'), ('location_warnings', 'received_at'),
           ('trip_events', 'computed_at'), ('eta_history', 'computed_at')
$$;
COMMENT ON FUNCTION history_tables() IS 'The tables partitioned by day, and the column that they are partitioned by.';

CREATE FUNCTION create_history_partition(parent text, day date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s' AS $$
#variable_conflict use_variable
DECLARE
    partition_name text := parent || to_char(day, '_YYYY_MM_DD');
    starts timestamptz := day::timestamp AT TIME ZONE 'UTC';
    ends timestamptz := (day + 1)::timestamp AT TIME ZONE 'UTC';
    time_column text := (SELECT t.time_column FROM history_tables() t WHERE t.table_name = parent);
BEGIN
    IF time_column IS NULL THEN
        RAISE EXCEPTION '% is not a history table', parent;
    END IF;
    IF to_regclass(partition_name) IS NOT NULL THEN
        RETURN false;
    END IF;
    IF day < DATE '2000-01-01' OR day > (now() AT TIME ZONE 'UTC')::date + 7 THEN
        RETURN false;  -- no such day: its rows stay in the default partition
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('sightline ' || parent, 0));
    IF to_regclass(partition_name) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- Made aside and attached: that lets readers and writers of the parent go on, which PARTITION OF would not.
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition_name, parent);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent || '_default');
    EXECUTE format(
        'WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
        parent || '_default', time_column, starts, time_column, ends, partition_name);
    EXECUTE format(
        'ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition_name, starts, ends);
    RETURN true;
END
$$;
COMMENT ON FUNCTION create_history_partition(text, date) IS
    'Makes the partition of one day (UTC), moving its rows out of the default; false when it exists or is out of bounds.';

CREATE FUNCTION ensure_history_partitions(days date[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    made integer := 0;
    one record;
BEGIN
    FOR one IN
        -- The tables in the order in which a write goes through them, so that locks are taken in one order by all.
        SELECT t.table_name, d.day
        FROM history_tables() WITH ORDINALITY AS t (table_name, time_column, position),
            (SELECT DISTINCT unnest(days) AS day) d
        ORDER BY t.position, d.day
    LOOP
        made := made + create_history_partition(one.table_name, one.day)::integer;
    END LOOP;
    RETURN made;
END
$$;
COMMENT ON FUNCTION ensure_history_partitions(date[]) IS
    'Makes the partitions of these days in all history tables where they are missing; returns how many it made.';

CREATE FUNCTION drop_history_partition(parent text, partition_name text) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
    EXECUTE format('DROP TABLE %I', partition_name);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;  -- a long query reads it; next time
END
$$;
COMMENT ON FUNCTION drop_history_partition(text, text) IS 'Drops one partition unless it is in use; for the owner.';

CREATE FUNCTION maintain_history_partitions(
    parent text, retention_days integer, days_ahead integer DEFAULT 3,
    OUT created integer, OUT dropped integer, OUT deleted bigint
)
LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_variable
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    oldest date := CASE WHEN retention_days > 0 THEN today - retention_days END;
    time_column text := (SELECT t.time_column FROM history_tables() t WHERE t.table_name = parent);
    wanted date[];
    one record;
BEGIN
    created := 0;
    dropped := 0;
    deleted := 0;
    IF time_column IS NULL THEN
        RAISE EXCEPTION '% is not a history table', parent;
    END IF;
    IF retention_days < 0 OR days_ahead NOT BETWEEN 0 AND 7 THEN
        RAISE EXCEPTION 'retention_days is 0 (keep all) or more, days_ahead 0 to 7';
    END IF;
    -- First of all: whoever reads the default partition and then wants it alone would wait for another in a ring.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('sightline ' || parent, 0)) THEN
        RETURN;  -- somebody else is at it
    END IF;
    IF oldest IS NOT NULL THEN
        EXECUTE format('DELETE FROM %I WHERE %I < %L', parent || '_default', time_column,
            oldest::timestamp AT TIME ZONE 'UTC');
        GET DIAGNOSTICS deleted = ROW_COUNT;
        FOR one IN
            SELECT p.partition_name FROM history_partitions(parent) p WHERE p.day < oldest ORDER BY p.day
        LOOP
            dropped := dropped + drop_history_partition(parent, one.partition_name)::integer;
        END LOOP;
    END IF;
    EXECUTE format(
        'SELECT array_agg(day ORDER BY day) FROM ('
        'SELECT d::date AS day FROM generate_series(%L::date, %L::date, interval ''1 day'') d '
        'UNION SELECT (%I AT TIME ZONE ''UTC'')::date FROM %I) w',
        today, today + days_ahead, time_column, parent || '_default') INTO wanted;
    FOR one IN SELECT unnest(wanted) AS day LOOP
        BEGIN
            created := created + create_history_partition(parent, one.day)::integer;
        EXCEPTION WHEN lock_not_available THEN
            NULL;  -- a long query reads the default partition; next time
        END;
    END LOOP;
END
$$;
COMMENT ON FUNCTION maintain_history_partitions(text, integer, integer) IS
    'Makes partitions ahead, moves rows out of the default, and drops days older than retention_days (0 keeps all).';

CREATE FUNCTION history_partitions(parent text) RETURNS TABLE (partition_name text, day date)
LANGUAGE sql STABLE AS $$
    SELECT c.relname::text, to_date(right(c.relname::text, 10), 'YYYY_MM_DD')
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass(parent) AND c.relname ~ ('^' || parent || '_\d{4}_\d{2}_\d{2}$')
$$;
COMMENT ON FUNCTION history_partitions(text) IS 'The daily partitions of a history table.';

-- A function that runs with its owner's rights looks names up in this schema only, whatever its caller's path says.
DO $$
DECLARE
    signature regprocedure;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'create_history_partition(text, date)', 'ensure_history_partitions(date[])',
        'drop_history_partition(text, text)', 'maintain_history_partitions(text, integer, integer)'
    ]::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', signature, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    END LOOP;
END
$$;
