-- Daily partitions of the history tables.
--
-- Functions that create and drop partitions run with their owner's rights (SECURITY DEFINER), so that the workers' role
-- may insert and select but needs no right to create or drop. Number and age of the days that a caller can request are
-- limited: 3,001 days requested at once took over a minute, during which the default partitions were locked. A row
-- outside these limits is stored in the default partition, where every query finds it.

-- Rows are in the order in which history-worker writes the tables, so that all transactions lock in the same order.
CREATE FUNCTION history_tables() RETURNS TABLE (table_name text, time_column text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    VALUES ('location_history', 'received_at'), ('smoothed_locations', 'received_at'),
           ('location_warnings', 'received_at'), ('trip_events', 'computed_at'), ('eta_history', 'computed_at'),
           ('trip_warnings', 'received_at')
$$;
COMMENT ON FUNCTION history_tables() IS 'The tables partitioned by day, with their partition key.';

CREATE FUNCTION history_day_bounds(OUT earliest date, OUT latest date, OUT most integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (now() AT TIME ZONE 'UTC')::date - 400, (now() AT TIME ZONE 'UTC')::date + 7, 32
$$;
COMMENT ON FUNCTION history_day_bounds() IS
    'Limits of partition days (UTC), and of their number per call; the owner may replace this function.';

CREATE FUNCTION shortest_history_retention() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 7 $$;
COMMENT ON FUNCTION shortest_history_retention() IS
    'Minimum retention in days for callers other than the owner; the owner may replace this function.';

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
        RETURN false;  -- implausible day: its rows stay in the default partition
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('sightline ' || parent, 0));
    IF to_regclass(partition_name) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- Created separately and attached, because PARTITION OF would block readers and writers of the parent.
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
    'Creates the partition of one day (UTC) and moves its rows there from the default partition; false if it exists or the day is out of bounds.';

CREATE FUNCTION ensure_history_partitions(days date[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    created integer := 0;
    requested date[] := ARRAY(SELECT DISTINCT unnest(days) AS day ORDER BY day);
    bounds record;
    one record;
BEGIN
    SELECT b.earliest, b.latest, b.most INTO bounds FROM history_day_bounds() b;
    IF array_position(requested, NULL) IS NOT NULL THEN
        RAISE EXCEPTION 'one of the days is null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF cardinality(requested) > bounds.most THEN
        RAISE EXCEPTION '% days requested, but one call creates partitions of at most % (history_day_bounds())',
            cardinality(requested), bounds.most USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF requested[1] < bounds.earliest THEN
        RAISE EXCEPTION 'no partition is created for %, which is before the earliest day, % (history_day_bounds())',
            requested[1], bounds.earliest USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF requested[cardinality(requested)] > bounds.latest THEN
        RAISE EXCEPTION 'no partition is created for %, which is after the latest day, % (history_day_bounds())',
            requested[cardinality(requested)], bounds.latest USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR one IN
        -- In the order of history_tables(), so that all callers lock in the same order.
        SELECT t.table_name, d.day
        FROM history_tables() WITH ORDINALITY AS t (table_name, time_column, position), unnest(requested) AS d (day)
        ORDER BY t.position, d.day
    LOOP
        created := created + create_history_partition(one.table_name, one.day)::integer;
    END LOOP;
    RETURN created;
END
$$;
COMMENT ON FUNCTION ensure_history_partitions(date[]) IS
    'Creates missing partitions of these days in all history tables and returns their number. '
    'Days outside history_day_bounds(), or more days than it allows, are an error.';

CREATE FUNCTION drop_history_partition(parent text, partition_name text) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
    EXECUTE format('DROP TABLE %I', partition_name);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;  -- in use by a long query; the next call tries again
END
$$;
COMMENT ON FUNCTION drop_history_partition(text, text) IS 'Drops one partition unless it is in use; only the owner may call this.';

CREATE FUNCTION history_partitions(parent text) RETURNS TABLE (partition_name text, day date)
LANGUAGE sql STABLE AS $$
    SELECT c.relname::text, to_date(right(c.relname::text, 10), 'YYYY_MM_DD')
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = to_regclass(parent) AND c.relname ~ ('^' || parent || '_\d{4}_\d{2}_\d{2}$')
$$;
COMMENT ON FUNCTION history_partitions(text) IS 'The daily partitions of a history table.';

-- A call drops at most history_day_bounds().most partitions of a table, oldest first, and creates partitions for at most
-- as many days of the default partition, the newest ones. Thousands would need more locks than a server has by default.
CREATE FUNCTION maintain_history_partitions_unbounded(
    parent text, retention_days integer, days_ahead integer DEFAULT 3,
    OUT created integer, OUT dropped integer, OUT deleted bigint
)
LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_variable
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    oldest date := CASE WHEN retention_days > 0 THEN today - retention_days END;
    time_column text := (SELECT t.time_column FROM history_tables() t WHERE t.table_name = parent);
    bounds record;
    requested date[];
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
    -- Locks first, because two callers that read the default partition and then lock it would deadlock.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('sightline ' || parent, 0)) THEN
        RETURN;  -- another worker is maintaining this table
    END IF;
    SELECT b.earliest, b.latest, b.most INTO bounds FROM history_day_bounds() b;
    IF oldest IS NOT NULL THEN
        EXECUTE format('DELETE FROM %I WHERE %I < %L', parent || '_default', time_column,
            oldest::timestamp AT TIME ZONE 'UTC');
        GET DIAGNOSTICS deleted = ROW_COUNT;
        FOR one IN
            SELECT p.partition_name FROM history_partitions(parent) p WHERE p.day < oldest
            ORDER BY p.day LIMIT bounds.most
        LOOP
            dropped := dropped + drop_history_partition(parent, one.partition_name)::integer;
        END LOOP;
    END IF;
    EXECUTE format(
        'SELECT array_agg(day ORDER BY day) FROM ('
        'SELECT d::date AS day FROM generate_series(%L::date, %L::date, interval ''1 day'') d '
        'UNION (SELECT r.day FROM (SELECT DISTINCT (%I AT TIME ZONE ''UTC'')::date AS day FROM %I) r '
        'WHERE r.day BETWEEN %L AND %L ORDER BY r.day DESC LIMIT %s)) w',
        today, today + days_ahead, time_column, parent || '_default', bounds.earliest, bounds.latest, bounds.most)
        INTO requested;
    FOR one IN SELECT unnest(requested) AS day LOOP
        BEGIN
            created := created + create_history_partition(parent, one.day)::integer;
        EXCEPTION WHEN lock_not_available THEN
            NULL;  -- the default partition is in use by a long query; the next call tries again
        END;
    END LOOP;
END
$$;

CREATE FUNCTION maintain_history_partitions(
    parent text, retention_days integer, days_ahead integer DEFAULT 3,
    OUT created integer, OUT dropped integer, OUT deleted bigint
)
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    -- current_user is the owner here, session_user the user who logged in.
    IF retention_days BETWEEN 1 AND shortest_history_retention() - 1
        AND NOT pg_has_role(session_user, current_user, 'USAGE')
    THEN
        RAISE EXCEPTION 'only the owner may drop days younger than %', shortest_history_retention()
            USING ERRCODE = 'insufficient_privilege',
                HINT = 'Run sightline history maintain as the owner, or have the owner replace shortest_history_retention().';
    END IF;
    SELECT m.created, m.dropped, m.deleted INTO created, dropped, deleted
    FROM maintain_history_partitions_unbounded(parent, retention_days, days_ahead) m;
END
$$;
COMMENT ON FUNCTION maintain_history_partitions(text, integer, integer) IS
    'Creates partitions in advance, moves rows out of the default partition, and drops days older than retention_days (0 keeps all).';

-- Functions with their owner's rights look up names in this schema only, for any search_path of the caller.
DO $$
DECLARE
    signature regprocedure;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'create_history_partition(text, date)', 'ensure_history_partitions(date[])',
        'drop_history_partition(text, text)', 'maintain_history_partitions(text, integer, integer)',
        'maintain_history_partitions_unbounded(text, integer, integer)'
    ]::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', signature, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    END LOOP;
END
$$;
