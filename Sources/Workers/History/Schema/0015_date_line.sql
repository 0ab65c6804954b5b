-- Paths over the date line.

-- RFC 7946, 3.1.9: a line over the antimeridian is cut there, or it would be drawn around the world.
CREATE OR REPLACE FUNCTION trip_path(
    trip text, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH steps AS (
        SELECT row_number() OVER w AS n, p.longitude AS lon, p.latitude AS lat,
            lag(p.longitude) OVER w AS last_lon, lag(p.latitude) OVER w AS last_lat
        FROM trip_points(trip, false, from_time, to_time) p
        WINDOW w AS (ORDER BY p.fixed_at)
    ), cuts AS (
        SELECT *, coalesce(abs(lon - last_lon) > 180, false) AS is_cut,
            -- Where the step meets the line; both ends may be on it.
            last_lat + (lat - last_lat) * coalesce(
                (180 - abs(last_lon)) / nullif(360 - abs(last_lon) - abs(lon), 0), 0) AS cut_lat
        FROM steps
    ), parts AS (
        SELECT *, count(*) FILTER (WHERE is_cut) OVER (ORDER BY n) AS part FROM cuts
    ), points AS (
        SELECT part, n, 2 AS place, lon, lat FROM parts
        UNION ALL SELECT part - 1, n, 0, 180 * sign(last_lon), cut_lat FROM parts WHERE is_cut
        UNION ALL SELECT part, n, 1, 180 * sign(lon), cut_lat FROM parts WHERE is_cut
    ), lines AS (
        SELECT part, jsonb_agg(
            jsonb_build_array(round(lon::numeric, 7), round(lat::numeric, 7)) ORDER BY n, place) AS line
        FROM points GROUP BY part
    )
    SELECT CASE
        WHEN (SELECT count(*) FROM steps) < 2 THEN NULL
        WHEN count(*) = 1 THEN jsonb_build_object('type', 'LineString', 'coordinates', jsonb_agg(line) -> 0)
        ELSE jsonb_build_object('type', 'MultiLineString', 'coordinates', jsonb_agg(line ORDER BY part))
    END
    FROM lines
$$;
COMMENT ON FUNCTION trip_path(text, timestamptz, timestamptz) IS
    'The path of a trip as a GeoJSON LineString, or a MultiLineString that is cut at the date line; null with fewer than two positions. A trip without a record is searched among the fixes of the period (by default the last 24 hours).';
