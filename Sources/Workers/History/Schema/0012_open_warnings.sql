-- Why a driver's risk is high, fix by fix; and which warnings go on, now that each tells its end.

ALTER TABLE location_history
    ADD COLUMN risk_signals text[];
COMMENT ON COLUMN location_history.risk_signals IS
    'Codes of the signals that the risk is from, three at most; null while the risk is under 0.2.';

COMMENT ON TABLE location_warnings IS
    'Warnings about drivers'' fixes: one row when a code starts, when its action changes, and when it is over.';
COMMENT ON COLUMN location_warnings.action IS 'NONE, FLAG, REJECT or REVIEW; RESOLVED once the code is over.';

-- Warnings that are here already have no end, so the view leaves them out. The last one is found by the order of
-- events and not by time, because receipts may step back. Who may read location_warnings may read the view.
DO $$
BEGIN
    EXECUTE format(
        'CREATE VIEW open_warnings WITH (security_invoker = true) AS
        SELECT w.driver_id, w.warning_code, w.action, w.received_at, w.risk, w.message,
            event_id(false, w.kafka_partition, w.event_offset, w.event_part) AS event
        FROM (
            SELECT DISTINCT ON (l.driver_id, l.warning_code) l.*
            FROM location_warnings l WHERE l.received_at > %L
            ORDER BY l.driver_id, l.warning_code, l.event_offset DESC, l.event_part DESC
        ) w
        WHERE w.action <> %L',
        coalesce((SELECT least(max(received_at), now()) FROM location_warnings HAVING count(*) > 0), '-infinity'),
        'RESOLVED');
END
$$;
GRANT SELECT ON open_warnings TO PUBLIC;
COMMENT ON VIEW open_warnings IS
    'The warnings that go on: of each driver and code the last one, unless it says that the code is over. received_at is when the code began or its action changed.';
