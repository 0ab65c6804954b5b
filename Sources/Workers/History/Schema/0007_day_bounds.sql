-- What a caller may have made is bounded in number and age. Each day is a partition in four tables; 3,001 of them, asked for
-- at once, took over a minute, in which the default partitions were locked. Nothing is refused to a row by that: a row
-- whose day has no partition is stored in the default partition, is found by every question there, is moved to its day
-- by maintain_history_partitions() once the day is within the bounds, and is deleted from there only by retention.

CREATE FUNCTION history_day_bounds(OUT earliest date, OUT latest date, OUT most integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (now() AT TIME ZONE 'UTC')::date - 400, (now() AT TIME ZONE 'UTC')::date + 7, 32
$$;
COMMENT ON FUNCTION history_day_bounds() IS
    'The days (UTC) that partitions are made for, and how many in one call; the owner may replace it.';

CREATE OR REPLACE FUNCTION ensure_history_partitions(days date[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    made integer := 0;
    asked date[] := ARRAY(SELECT DISTINCT unnest(days) AS day ORDER BY day);
    bounds record;
    one record;
BEGIN
    SELECT b.earliest, b.latest, b.most INTO bounds FROM history_day_bounds() b;
    IF array_position(asked, NULL) IS NOT NULL THEN
        RAISE EXCEPTION 'one of the days is null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF cardinality(asked) > bounds.most THEN
        RAISE EXCEPTION '% days were asked for, but one call makes the partitions of at most % (history_day_bounds())',
            cardinality(asked), bounds.most USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF asked[1] < bounds.earliest THEN
        RAISE EXCEPTION 'no partition is made for %, which is before the earliest day, % (history_day_bounds())',
            asked[1], bounds.earliest USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF asked[cardinality(asked)] > bounds.latest THEN
        RAISE EXCEPTION 'no partition is made for %, which is after the latest day, % (history_day_bounds())',
            asked[cardinality(asked)], bounds.latest USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR one IN
        -- The tables in the order in which a write goes through them, so that locks are taken in one order by all.
        SELECT t.table_name, d.day
        FROM history_tables() WITH ORDINALITY AS t (table_name, time_column, position), unnest(asked) AS d (day)
        ORDER BY t.position, d.day
    LOOP
        made := made + create_history_partition(one.table_name, one.day)::integer;
    END LOOP;
    RETURN made;
END
$$;
COMMENT ON FUNCTION ensure_history_partitions(date[]) IS
    'Makes the partitions of these days in all history tables where they are missing; returns how many it made. '
    'Days outside history_day_bounds(), and more of them than it allows, are an error.';

-- As before, but a call makes and drops at most so many partitions of a table, the newest and the oldest first; the next
-- call goes on. Thousands in one transaction would need more locks than a server has by default.
CREATE OR REPLACE FUNCTION maintain_history_partitions_unbounded(
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
    -- First of all: two that read the default partition and then want it alone would wait for each other.
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
        INTO wanted;
    FOR one IN SELECT unnest(wanted) AS day LOOP
        BEGIN
            created := created + create_history_partition(parent, one.day)::integer;
        EXCEPTION WHEN lock_not_available THEN
            NULL;  -- a long query reads the default partition; next time
        END;
    END LOOP;
END
$$;

-- To replace a function takes its settings away.
DO $$
DECLARE
    signature regprocedure;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'ensure_history_partitions(date[])', 'maintain_history_partitions_unbounded(text, integer, integer)'
    ]::regprocedure[]
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', signature, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    END LOOP;
END
$$;
