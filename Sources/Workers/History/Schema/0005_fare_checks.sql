-- What a completed ride's distances speak of, beside the long route: positions that add up to far more than the way
-- along the route.

ALTER TABLE trip_events
    ADD COLUMN snapped_meters double precision,
    ADD COLUMN is_distance_inflated boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN trip_events.snapped_meters IS
    'At the trip''s end: what was driven, along the route where the vehicle was on it; null without a route.';
COMMENT ON COLUMN trip_events.is_distance_inflated IS
    'Whether driven_meters is so far above snapped_meters that a fare should not be made from it.';

DROP FUNCTION trip_distance(text);
CREATE FUNCTION trip_distance(trip text) RETURNS TABLE (
    trip_id text, driver_id text, state text, driven_meters double precision, planned_meters double precision,
    ratio double precision, long_route boolean, source text, snapped_meters double precision,
    distance_inflation boolean
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH last_event AS (
        SELECT e.* FROM trip_events e WHERE e.trip_id = trip ORDER BY e.computed_at DESC, e.event_offset DESC LIMIT 1
    ), driven AS (
        SELECT sum(distance_meters(s.before_latitude, s.before_longitude, s.latitude, s.longitude)) AS meters
        FROM (
            SELECT p.latitude, p.longitude, lag(p.latitude) OVER w AS before_latitude,
                lag(p.longitude) OVER w AS before_longitude
            FROM trip_points(trip, true) p WINDOW w AS (ORDER BY p.fixed_at)
        ) s
    ), both_ways AS (
        SELECT e.trip_id, e.driver_id, e.state, coalesce(e.driven_meters, d.meters) AS driven, e.planned_meters AS planned,
            CASE WHEN e.driven_meters IS NOT NULL THEN 'pipeline' ELSE 'history' END AS source,
            e.snapped_meters AS snapped, e.is_distance_inflated AS inflated
        FROM last_event e LEFT JOIN driven d ON e.driven_meters IS NULL
    )
    SELECT b.trip_id, b.driver_id, b.state, b.driven, b.planned, b.driven / nullif(b.planned, 0),
        coalesce(b.driven > 1.3 * b.planned AND b.driven - b.planned > 500, false), b.source, b.snapped, b.inflated
    FROM both_ways b
$$;
COMMENT ON FUNCTION trip_distance(text) IS
    'Metres driven against metres planned; long_route when over 1.3 times and 500 m more. Source: the pipeline''s sum at the trip''s end, or before it the accepted positions while in progress. snapped_meters and distance_inflation are the pipeline''s.';
