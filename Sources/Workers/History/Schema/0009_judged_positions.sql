-- A fix of a device that names no trip is judged beyond the rate off a trip as well, and then throttled: its row has a
-- smoothed position. What asks for positions asks for those, accepted or not; the driver may have been on a trip.

COMMENT ON COLUMN location_history.latitude IS
    'Smoothed, WGS84 degrees; null unless accepted, or throttled after it was judged.';

CREATE OR REPLACE FUNCTION driver_track(
    driver text, from_time timestamptz, to_time timestamptz, all_verdicts boolean DEFAULT false
) RETURNS TABLE (
    fixed_at timestamptz, latitude double precision, longitude double precision, heading real, speed_mps real,
    accuracy_meters real, verdict location_verdict, reasons text[], trip_id text, received_at timestamptz, event text
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT h.fixed_at, coalesce(h.latitude, h.raw_latitude), coalesce(h.longitude, h.raw_longitude),
        coalesce(h.heading, h.raw_heading), coalesce(h.speed_mps, h.raw_speed_mps),
        coalesce(h.accuracy_meters, h.raw_accuracy_meters), h.verdict, h.reasons, h.trip_id, h.received_at,
        event_id(false, h.kafka_partition, h.event_offset, h.event_part)
    FROM location_history h
    WHERE h.driver_id = driver AND h.fixed_at >= from_time AND h.fixed_at < to_time
        AND h.received_at >= from_time - interval '10 minutes'
        AND (all_verdicts OR h.latitude IS NOT NULL)
    ORDER BY h.fixed_at, h.event_offset, h.event_part
$$;

CREATE OR REPLACE FUNCTION driver_position_at(
    driver text, at_time timestamptz, lookback interval DEFAULT interval '1 day',
    longest_gap interval DEFAULT interval '1 minute'
) RETURNS TABLE (
    latitude double precision, longitude double precision, heading real, speed_mps real, accuracy_meters real,
    fixed_at timestamptz, age_seconds double precision, is_interpolated boolean, trip_id text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
    before_it record;
    after_it record;
    share double precision := 0;
    eastward double precision;
BEGIN
    SELECT h.* INTO before_it FROM location_history h
    WHERE h.driver_id = driver AND h.latitude IS NOT NULL AND h.fixed_at <= at_time
        AND h.fixed_at > at_time - lookback AND h.received_at >= at_time - lookback - interval '10 minutes'
    ORDER BY h.fixed_at DESC LIMIT 1;
    IF before_it.driver_id IS NULL THEN
        RETURN;
    END IF;
    SELECT h.* INTO after_it FROM location_history h
    WHERE h.driver_id = driver AND h.latitude IS NOT NULL AND h.fixed_at > at_time
        AND h.fixed_at <= before_it.fixed_at + longest_gap AND h.received_at >= at_time - interval '10 minutes'
    ORDER BY h.fixed_at LIMIT 1;
    IF after_it.driver_id IS NOT NULL THEN
        share := extract(epoch FROM at_time - before_it.fixed_at)
            / extract(epoch FROM after_it.fixed_at - before_it.fixed_at);
    END IF;
    eastward := coalesce(after_it.longitude - before_it.longitude, 0);
    eastward := eastward - 360 * round(eastward / 360);
    latitude := before_it.latitude + share * coalesce(after_it.latitude - before_it.latitude, 0);
    longitude := before_it.longitude + share * eastward;
    longitude := longitude - 360 * round(longitude / 360);
    heading := before_it.heading;
    speed_mps := before_it.speed_mps;
    accuracy_meters := before_it.accuracy_meters;
    fixed_at := before_it.fixed_at;
    age_seconds := extract(epoch FROM at_time - before_it.fixed_at);
    is_interpolated := share > 0;
    trip_id := before_it.trip_id;
    RETURN NEXT;
END
$$;

CREATE OR REPLACE FUNCTION drivers_near(
    near_latitude double precision, near_longitude double precision, radius_meters double precision,
    from_time timestamptz, to_time timestamptz, lateness interval DEFAULT interval '10 minutes'
) RETURNS TABLE (
    driver_id text, closest_meters double precision, closest_at timestamptz, fixes bigint, first_at timestamptz,
    last_at timestamptz
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT n.driver_id, min(n.meters), (array_agg(n.fixed_at ORDER BY n.meters, n.fixed_at))[1], count(*),
        min(n.fixed_at), max(n.fixed_at)
    FROM (
        SELECT h.driver_id, h.fixed_at,
            distance_meters(near_latitude, near_longitude, h.latitude, h.longitude) AS meters
        FROM location_history h
        WHERE h.latitude IS NOT NULL AND h.fixed_at >= from_time AND h.fixed_at < to_time
            AND h.received_at >= from_time - interval '10 minutes' AND h.received_at < to_time + lateness
            -- A box around the circle first: two comparisons, against six trigonometric functions.
            AND h.latitude BETWEEN near_latitude - degrees(radius_meters / 6371008.8)
                AND near_latitude + degrees(radius_meters / 6371008.8)
            AND abs(h.longitude - near_longitude - 360 * round((h.longitude - near_longitude) / 360))
                <= degrees(radius_meters / 6371008.8) / greatest(1e-6,
                    cos(radians(least(90, abs(near_latitude) + degrees(radius_meters / 6371008.8)))))
    ) n
    WHERE n.meters <= radius_meters
    GROUP BY n.driver_id
    ORDER BY min(n.meters), n.driver_id
$$;

COMMENT ON FUNCTION drivers_near(
    double precision, double precision, double precision, timestamptz, timestamptz, interval) IS
    'Who was within radius_meters of a point, by judged fixes received at most `lateness` after the period.';
