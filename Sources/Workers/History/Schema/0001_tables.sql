-- What Sightline keeps: every verdict, every warning, every step of a trip, and what was promised to riders.
--
-- Partitioned by day (UTC) of RECEIPT, not of the fix. The time of receipt is the pipeline's own clock: it grows, so a
-- batch touches one or two partitions and a BRIN index stays tight, and no device with a wrong clock can open partitions
-- in 1970 or 2099. A fix is received after it was taken, so a question about fixes since T needs no partition older than
-- T (the functions allow ten minutes for the jitter of clocks).
--
-- Every table has a DEFAULT partition: a row whose day has no partition never fails its batch. The history worker makes
-- partitions ahead; what still lands in the default (a lock that could not be had, a timestamp out of all bounds) is
-- moved to its day, or dropped by retention, by maintain_history_partitions().
--
-- No primary keys, on purpose. That an event is written exactly once is guaranteed by lane_clock, which moves in the same
-- transaction as the rows; a unique index would cost a sixth of the throughput to check it again.
-- history_duplicates(from, to) proves it by query.

CREATE TYPE location_verdict AS ENUM ('accepted', 'late', 'duplicate', 'throttled', 'rejected');
CREATE TYPE confidence_level AS ENUM ('LOW', 'MEDIUM', 'HIGH');

CREATE TABLE lane_clock (
    sink        text    NOT NULL,
    topic       text    NOT NULL,
    lane        integer NOT NULL,
    next_offset bigint  NOT NULL,
    raw_clock   text,
    trip_clock  text,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (sink, topic, lane)
) WITH (fillfactor = 50);  -- updated in place with every batch; never grows

COMMENT ON TABLE lane_clock IS
    'How far each lane is written. Moves in the transaction that writes the rows: rows and clock are never apart.';
COMMENT ON COLUMN lane_clock.next_offset IS 'Offset of the topic''s next record to write; compared before every write.';
COMMENT ON COLUMN lane_clock.raw_clock IS 'Event id of the last record written that was made from a raw location.';
COMMENT ON COLUMN lane_clock.trip_clock IS 'Event id of the last record written that was made from a trip message.';

CREATE TABLE location_history (
    received_at         timestamptz      NOT NULL,
    fixed_at            timestamptz      NOT NULL,
    device_at           timestamptz,
    event_offset        bigint           NOT NULL,
    event_part          bigint           NOT NULL,
    sequence            bigint,
    latitude            double precision,
    longitude           double precision,
    raw_latitude        double precision NOT NULL,
    raw_longitude       double precision NOT NULL,
    lane                integer          NOT NULL,
    verdict             location_verdict NOT NULL,
    confidence          confidence_level,
    heading             real,
    speed_mps           real,
    accuracy_meters     real,
    raw_heading         real,
    raw_speed_mps       real,
    raw_accuracy_meters real,
    risk                real             NOT NULL,
    is_halted           boolean,
    driver_id           text             NOT NULL,
    trip_id             text,
    session_id          text,
    reasons             text[]
) PARTITION BY RANGE (received_at);

CREATE INDEX location_history_driver ON location_history (driver_id, fixed_at);
CREATE INDEX location_history_received ON location_history USING brin (received_at);
CREATE TABLE location_history_default PARTITION OF location_history DEFAULT;

COMMENT ON TABLE location_history IS 'One row for every fix and what became of it: the full audit trail of positions.';
COMMENT ON COLUMN location_history.received_at IS 'When the record reached the broker; the partition key.';
COMMENT ON COLUMN location_history.fixed_at IS 'When the fix was taken, with the device''s clock offset removed.';
COMMENT ON COLUMN location_history.device_at IS 'When the fix was taken by the device''s own clock.';
COMMENT ON COLUMN location_history.latitude IS 'Smoothed, WGS84 degrees; null unless accepted.';
COMMENT ON COLUMN location_history.raw_latitude IS 'As the device said, WGS84 degrees.';
COMMENT ON COLUMN location_history.accuracy_meters IS 'One standard deviation (68 %) of the smoothed position.';
COMMENT ON COLUMN location_history.heading IS 'Degrees clockwise from north, [0, 360).';
COMMENT ON COLUMN location_history.risk IS 'How likely the driver''s recent fixes are forged, in [0, 1].';
COMMENT ON COLUMN location_history.reasons IS 'Codes of why; null when there is nothing to say.';
COMMENT ON COLUMN location_history.lane IS 'With event_offset and event_part: the event id; see event_id().';

CREATE TABLE location_warnings (
    received_at     timestamptz NOT NULL,
    event_offset    bigint      NOT NULL,
    event_part      bigint      NOT NULL,
    lane            integer     NOT NULL,
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

COMMENT ON TABLE location_warnings IS 'Warnings about drivers'' fixes: one row when a code starts or its action changes.';
COMMENT ON COLUMN location_warnings.action IS 'NONE, FLAG, REJECT or REVIEW.';
COMMENT ON COLUMN location_warnings.distance_meters IS 'Evidence, like seconds, speed_mps, accuracy_meters and fixes.';

CREATE TABLE trip_events (
    computed_at     timestamptz NOT NULL,
    changed_at      timestamptz NOT NULL,
    event_offset    bigint      NOT NULL,
    event_part      bigint      NOT NULL,
    version         bigint,
    latitude        double precision,
    longitude       double precision,
    driven_meters   double precision,
    planned_meters  double precision,
    lane            integer     NOT NULL,
    event_is_trip   boolean     NOT NULL,
    is_long_route   boolean     NOT NULL,
    trip_id         text        NOT NULL,
    driver_id       text        NOT NULL,
    rider_id        text,
    kind            text        NOT NULL,
    route_id        text,
    state           text        NOT NULL,
    previous_state  text,
    triggered_by    text,
    route_polyline  text,
    context         text
) PARTITION BY RANGE (computed_at);

CREATE INDEX trip_events_trip ON trip_events (trip_id, computed_at);
CREATE INDEX trip_events_computed ON trip_events USING brin (computed_at);
CREATE TABLE trip_events_default PARTITION OF trip_events DEFAULT;

COMMENT ON TABLE trip_events IS 'Every change of state of every trip.';
COMMENT ON COLUMN trip_events.computed_at IS 'When the pipeline took it up; the partition key.';
COMMENT ON COLUMN trip_events.changed_at IS 'When the trip service says that it happened.';
COMMENT ON COLUMN trip_events.context IS 'JSON as the trip service sent it; text, so that nothing it holds can fail a batch.';
COMMENT ON COLUMN trip_events.driven_meters IS 'At the trip''s end: what was driven; planned_meters what was planned.';
COMMENT ON COLUMN trip_events.event_is_trip IS 'Whether the event id counts in the trips topic (t3-512) or the raw one.';

CREATE TABLE eta_history (
    computed_at     timestamptz NOT NULL,
    arrives_at      timestamptz NOT NULL,
    scheduled_at    timestamptz,
    event_offset    bigint      NOT NULL,
    event_part      bigint      NOT NULL,
    distance_meters real,
    lane            integer     NOT NULL,
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
    'What riders were promised, sampled per trip in windows of 30 s, and once for each stop when it was passed.';
COMMENT ON COLUMN eta_history.arrives_at IS 'The promised arrival; where is_passed, the real one.';
COMMENT ON COLUMN eta_history.seconds IS 'From computed_at to the promised arrival; min and max bound the 80 % interval.';
COMMENT ON COLUMN eta_history.stop_index IS 'Position of the stop in the trip, from 0.';
