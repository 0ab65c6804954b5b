-- Tables of Sightline in Postgres: verdicts, smoothed positions, warnings, trip events, ETA predictions.
--
-- Tables are partitioned by day (UTC) of receipt, not of the fix. Receipt times mostly increase, so a batch writes to
-- one or two partitions, a BRIN index stays small, and a device with a wrong clock cannot create partitions in 1970 or
-- 2099. A fix is received after it was measured, so a query for fixes since T needs no partition older than T (the
-- functions allow ten minutes for differences between clocks).
--
-- Every table has a DEFAULT partition, so a row whose day has no partition does not fail its batch. history-worker
-- creates partitions in advance; maintain_history_partitions() moves rows of the default partition to their day.
--
-- History tables have no primary keys. sink_progress advances in the transaction that writes the rows, so each event
-- is written once; a unique index would cost a sixth of the throughput. history_duplicates(from, to) checks this.

CREATE TYPE location_verdict AS ENUM ('accepted', 'late', 'duplicate', 'throttled', 'rejected');
CREATE TYPE confidence_level AS ENUM ('LOW', 'MEDIUM', 'HIGH');

CREATE TABLE sink_progress (
    sink             text    NOT NULL,
    topic            text    NOT NULL,
    kafka_partition  integer NOT NULL,
    next_offset      bigint  NOT NULL,
    raw_event        text,
    trip_event       text,
    smoothing_offset bigint,
    smoothed_event   text,
    updated_at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (sink, topic, kafka_partition)
) WITH (fillfactor = 50);  -- free space for the updates that every batch makes

COMMENT ON TABLE sink_progress IS
    'Progress of a sink in each partition of a topic; advances in the transaction that writes the rows.';
COMMENT ON COLUMN sink_progress.next_offset IS 'Offset of the next record to write; compared before every write.';
COMMENT ON COLUMN sink_progress.raw_event IS 'Event id of the last record written that came from a raw location.';
COMMENT ON COLUMN sink_progress.trip_event IS 'Event id of the last record written that came from a trip message.';
COMMENT ON COLUMN sink_progress.smoothing_offset IS
    'Offset of driver.locations from which fixes that wait for later ones are read again; null if none wait.';
COMMENT ON COLUMN sink_progress.smoothed_event IS
    'Event id of the last smoothed fix; no fix up to it gets another row in smoothed_locations.';

-- Codes from devices are texts, not enumerations: a code that the database does not know must not stop a partition.
CREATE TABLE location_history (
    received_at                  timestamptz      NOT NULL,
    fixed_at                     timestamptz      NOT NULL,
    device_at                    timestamptz,
    event_offset                 bigint           NOT NULL,
    event_part                   bigint           NOT NULL,
    sequence                     bigint,
    latitude                     double precision,
    longitude                    double precision,
    raw_latitude                 double precision NOT NULL,
    raw_longitude                double precision NOT NULL,
    kafka_partition              integer          NOT NULL,
    verdict                      location_verdict NOT NULL,
    confidence                   confidence_level,
    heading                      real,
    speed_mps                    real,
    accuracy_meters              real,
    raw_heading                  real,
    raw_speed_mps                real,
    raw_accuracy_meters          real,
    risk                         real             NOT NULL,
    is_halted                    boolean,
    driver_id                    text             NOT NULL,
    trip_id                      text,
    session_id                   text,
    reasons                      text[],
    raw_altitude_meters          real,
    raw_altitude_accuracy_meters real,
    raw_heading_accuracy_degrees real,
    raw_speed_accuracy_mps       real,
    battery_percent              smallint,
    is_charging                  boolean,
    network_type                 text,
    motion_activity              text,
    source                       text,
    is_mock                      boolean,
    integrity                    text,
    risk_signals                 text[]
) PARTITION BY RANGE (received_at);

CREATE INDEX location_history_driver ON location_history (driver_id, fixed_at);
CREATE INDEX location_history_received ON location_history USING brin (received_at);
CREATE TABLE location_history_default PARTITION OF location_history DEFAULT;

COMMENT ON TABLE location_history IS 'One row per stored fix, with its verdict.';
COMMENT ON COLUMN location_history.received_at IS
    'Receipt time: the record''s timestamp, or an estimate if that is implausible; the partition key.';
COMMENT ON COLUMN location_history.fixed_at IS 'Time of the fix, with the device''s clock offset removed.';
COMMENT ON COLUMN location_history.device_at IS 'Time of the fix by the device''s own clock.';
COMMENT ON COLUMN location_history.latitude IS
    'Smoothed position, WGS84 degrees; null unless accepted, or throttled after evaluation.';
COMMENT ON COLUMN location_history.raw_latitude IS 'Latitude reported by the device, WGS84 degrees.';
COMMENT ON COLUMN location_history.accuracy_meters IS
    'Radius around the smoothed position that contains 68 % of true positions.';
COMMENT ON COLUMN location_history.is_halted IS 'Whether the vehicle is halted.';
COMMENT ON COLUMN location_history.heading IS 'Degrees clockwise from north, [0, 360).';
COMMENT ON COLUMN location_history.risk IS 'Probability that the driver''s recent fixes are forged, in [0, 1].';
COMMENT ON COLUMN location_history.reasons IS 'Codes of the reasons for the verdict; null without reasons.';
COMMENT ON COLUMN location_history.kafka_partition IS
    'Partition of driver.locations.raw; forms the event id with event_offset and event_part, see event_id().';
COMMENT ON COLUMN location_history.raw_altitude_meters IS 'Reported by the device, like all columns raw_….';
COMMENT ON COLUMN location_history.raw_altitude_accuracy_meters IS
    'Half width of the 68 % interval, like raw_heading_accuracy_degrees and raw_speed_accuracy_mps.';
COMMENT ON COLUMN location_history.battery_percent IS 'Battery charge of the device, 0 to 100.';
COMMENT ON COLUMN location_history.network_type IS
    'Connection of the device: wifi, cellular, 2g, 3g, 4g, 5g, ethernet or none.';
COMMENT ON COLUMN location_history.motion_activity IS
    'Activity by the device''s motion sensors: stationary, walking, running, cycling or automotive.';
COMMENT ON COLUMN location_history.source IS 'Source of the fix: gps, wifi, cellular, fused or cached.';
COMMENT ON COLUMN location_history.is_mock IS 'Whether the platform reports that a mock provider made the fix.';
COMMENT ON COLUMN location_history.integrity IS 'The platform''s attestation of the device: PASSED or FAILED.';
COMMENT ON COLUMN location_history.risk_signals IS
    'Codes of the signals that contribute most to the risk, at most three; null while the risk is below 0.2.';

CREATE TABLE smoothed_locations (
    received_at     timestamptz      NOT NULL,
    fixed_at        timestamptz      NOT NULL,
    event_offset    bigint           NOT NULL,
    event_part      bigint           NOT NULL,
    latitude        double precision NOT NULL,
    longitude       double precision NOT NULL,
    kafka_partition integer          NOT NULL,
    heading         real,
    speed_mps       real             NOT NULL,
    accuracy_meters real             NOT NULL,
    driver_id       text             NOT NULL
) PARTITION BY RANGE (received_at);

CREATE INDEX smoothed_locations_driver ON smoothed_locations (driver_id, fixed_at);
CREATE INDEX smoothed_locations_received ON smoothed_locations USING brin (received_at);
CREATE TABLE smoothed_locations_default PARTITION OF smoothed_locations DEFAULT;

COMMENT ON TABLE smoothed_locations IS
    'Positions smoothed with the fixes of the following 15 to 30 s, and written when later records have arrived.';
COMMENT ON COLUMN smoothed_locations.received_at IS
    'As in location_history, like fixed_at, driver_id and the event id; the partition key.';
COMMENT ON COLUMN smoothed_locations.latitude IS 'WGS84 degrees.';
COMMENT ON COLUMN smoothed_locations.heading IS 'Degrees clockwise from north, [0, 360); null until the vehicle moves.';
COMMENT ON COLUMN smoothed_locations.accuracy_meters IS 'Radius that contains 68 % of true positions.';

CREATE TABLE location_warnings (
    received_at     timestamptz NOT NULL,
    event_offset    bigint      NOT NULL,
    event_part      bigint      NOT NULL,
    kafka_partition integer     NOT NULL,
    risk            real        NOT NULL,
    distance_meters double precision,
    seconds         double precision,
    speed_mps       double precision,
    accuracy_meters double precision,
    fixes           integer,
    driver_id       text        NOT NULL,
    warning_code    text        NOT NULL,
    action          text        NOT NULL,
    message         text        NOT NULL
) PARTITION BY RANGE (received_at);

CREATE INDEX location_warnings_driver ON location_warnings (driver_id, received_at);
CREATE INDEX location_warnings_received ON location_warnings USING brin (received_at);
CREATE TABLE location_warnings_default PARTITION OF location_warnings DEFAULT;

COMMENT ON TABLE location_warnings IS
    'Warnings about drivers'' fixes: one row when a code starts, changes its action, or ends.';
COMMENT ON COLUMN location_warnings.action IS 'NONE, FLAG, REJECT or REVIEW; RESOLVED when the code ends.';
COMMENT ON COLUMN location_warnings.distance_meters IS 'Evidence, like seconds, speed_mps, accuracy_meters and fixes.';

CREATE TABLE trip_events (
    computed_at          timestamptz NOT NULL,
    changed_at           timestamptz NOT NULL,
    event_offset         bigint      NOT NULL,
    event_part           bigint      NOT NULL,
    version              bigint,
    latitude             double precision,
    longitude            double precision,
    driven_meters        double precision,
    planned_meters       double precision,
    kafka_partition      integer     NOT NULL,
    event_is_trip        boolean     NOT NULL,
    is_long_route        boolean     NOT NULL,
    trip_id              text        NOT NULL,
    driver_id            text        NOT NULL,
    rider_id             text,
    kind                 text        NOT NULL,
    route_id             text,
    state                text        NOT NULL,
    previous_state       text,
    triggered_by         text,
    route_polyline       text,
    context              text,
    snapped_meters       double precision,
    is_distance_inflated boolean     NOT NULL DEFAULT false,
    stage                text,
    facts                text
) PARTITION BY RANGE (computed_at);

CREATE INDEX trip_events_trip ON trip_events (trip_id, computed_at);
CREATE INDEX trip_events_computed ON trip_events USING brin (computed_at);
CREATE TABLE trip_events_default PARTITION OF trip_events DEFAULT;

COMMENT ON TABLE trip_events IS 'Changes of trips: of state, stage, plan or facts, and of the distance after the end.';
COMMENT ON COLUMN trip_events.computed_at IS 'Time at which the pipeline processed the change; the partition key.';
COMMENT ON COLUMN trip_events.changed_at IS 'Time of the change according to its sender; without one, computed_at.';
COMMENT ON COLUMN trip_events.context IS
    'JSON as the trip service sent it; stored as text, so that no content can fail a batch.';
COMMENT ON COLUMN trip_events.driven_meters IS
    'At the end of the trip: driven distance; planned_meters: planned distance.';
COMMENT ON COLUMN trip_events.event_is_trip IS
    'Whether the event id refers to the trips topic (t3-512) or to driver.locations.raw.';
COMMENT ON COLUMN trip_events.snapped_meters IS
    'At the end of the trip: driven distance measured along the route while on it; null without a route.';
COMMENT ON COLUMN trip_events.is_distance_inflated IS
    'Whether driven_meters exceeds snapped_meters so much that a fare should not be based on it.';
COMMENT ON COLUMN trip_events.stage IS
    'Step within the state, DRIVER_EN_ROUTE or ARRIVED_DESTINATION; null if the sender does not distinguish it.';
COMMENT ON COLUMN trip_events.facts IS
    'Rider, driver, vehicle, fare and other facts after the event: JSON as the trip service sent it, stored as text.';

CREATE TABLE trip_warnings (
    received_at     timestamptz      NOT NULL,
    began_at        timestamptz      NOT NULL,
    ended_at        timestamptz,
    event_offset    bigint           NOT NULL,
    event_part      bigint           NOT NULL,
    latitude        double precision,
    longitude       double precision,
    greatest_meters double precision NOT NULL,
    kafka_partition integer          NOT NULL,
    event_is_trip   boolean          NOT NULL,
    is_resolved     boolean          NOT NULL,
    trip_id         text             NOT NULL,
    driver_id       text             NOT NULL,
    warning_code    text             NOT NULL,
    ended_by        text,
    message         text             NOT NULL
) PARTITION BY RANGE (received_at);

CREATE INDEX trip_warnings_trip ON trip_warnings (trip_id, received_at);
CREATE INDEX trip_warnings_received ON trip_warnings USING brin (received_at);
CREATE TABLE trip_warnings_default PARTITION OF trip_warnings DEFAULT;

COMMENT ON TABLE trip_warnings IS 'Warnings about trips: one row when a warning begins, and one when it ends.';
COMMENT ON COLUMN trip_warnings.received_at IS 'Time at which the pipeline detected the start or end; the partition key.';
COMMENT ON COLUMN trip_warnings.began_at IS 'Start by the times of the fixes; the same in the rows of start and end.';
COMMENT ON COLUMN trip_warnings.ended_at IS 'Time of the end; null in the row of the start.';
COMMENT ON COLUMN trip_warnings.greatest_meters IS 'Greatest distance from the route up to this row.';
COMMENT ON COLUMN trip_warnings.ended_by IS
    'RETURNED, REPLANNED, TRIP_ENDED or DISPLACED; null in the row of the start.';
COMMENT ON COLUMN trip_warnings.latitude IS 'Last known position of the vehicle, WGS84 degrees.';

CREATE TABLE eta_history (
    computed_at     timestamptz NOT NULL,
    arrives_at      timestamptz NOT NULL,
    scheduled_at    timestamptz,
    event_offset    bigint      NOT NULL,
    event_part      bigint      NOT NULL,
    distance_meters real,
    kafka_partition integer     NOT NULL,
    stop_index      integer     NOT NULL,
    seconds         integer,
    min_seconds     integer,
    max_seconds     integer,
    delay_seconds   integer,
    confidence      confidence_level,
    event_is_trip   boolean     NOT NULL,
    is_passed       boolean     NOT NULL,
    trip_id         text        NOT NULL,
    driver_id       text        NOT NULL,
    stop_id         text        NOT NULL,
    stop_kind       text        NOT NULL
) PARTITION BY RANGE (computed_at);

CREATE INDEX eta_history_trip ON eta_history (trip_id, computed_at);
CREATE INDEX eta_history_computed ON eta_history USING brin (computed_at);
CREATE TABLE eta_history_default PARTITION OF eta_history DEFAULT;

COMMENT ON TABLE eta_history IS
    'Published ETA predictions, sampled per trip every 30 s, and one row per stop when it is passed.';
COMMENT ON COLUMN eta_history.arrives_at IS 'Predicted arrival; if is_passed, the actual arrival.';
COMMENT ON COLUMN eta_history.seconds IS
    'From computed_at to the predicted arrival; min_seconds and max_seconds bound the 80 % interval.';
COMMENT ON COLUMN eta_history.stop_index IS 'Index of the stop in the trip, from 0.';
