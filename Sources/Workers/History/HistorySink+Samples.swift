import Domain
import Postgres
import Support

/// Restores the samplers from the database, for trips and drivers not seen since the samplers were reset.
extension HistorySink {
    func resetSamplers() {
        fixSampler.removeAll()
        etaSampler.removeAll()
    }

    /// Restores the samplers before the first copy, because a copy permits no query.
    func restoreSamplers(for locked: [LockedBatch], _ connection: PostgresConnection) throws {
        try restoreTrips(unknown(.tripEtas, in: locked) { etaSampler.contains($0) }, connection)
        guard configuration.thinsFixes else { return }
        try restoreDrivers(unknown(.locations, in: locked) { fixSampler.contains($0) }, connection)
        try restoreKeptEvents(in: locked, connection)
    }

    /// Returns whether a reread fix has a row in `location_history`.
    func wasKept(_ event: EventID) -> Bool { keptEvents?.contains(event) ?? true }

    /// Queries the events of reread fixes that have a row in `location_history`.
    private func restoreKeptEvents(in locked: [LockedBatch], _ connection: PostgresConnection) throws {
        keptEvents = []
        for batch in locked.map(\.batch) where batch.partition.topic == PipelineTopic.locations.rawValue {
            let times = batch.records.lazy.filter { $0.offset < batch.from }.map(\.timestamp)
            // Open-ended, because received_at may be later than the record's timestamp.
            guard let first = times.min() else { continue }
            let result = try connection.execute(
                """
                SELECT event_offset, event_part FROM location_history
                WHERE kafka_partition = $1 AND received_at >= to_timestamp($2::bigint / 1000.0)
                """,
                [.integer(Int64(batch.partition.partition)), .integer(first.milliseconds)])
            for row in result.rows {
                keptEvents?.insert(
                    EventID(
                        origin: .raw, partition: batch.partition.partition, offset: try row.integer(0),
                        part: UInt64(bitPattern: try row.integer(1))))
            }
        }
    }

    private func unknown(_ topic: PipelineTopic, in locked: [LockedBatch], _ isKnown: (ByteSlice) -> Bool) -> [String] {
        var keys: Set<String> = []
        for one in locked where one.batch.partition.topic == topic.rawValue {
            for record in one.batch.records where !isKnown(record.key) { keys.insert(record.key.string) }
        }
        return Array(keys)
    }

    private func restoreTrips(_ trips: [String], _ connection: PostgresConnection) throws {
        guard !trips.isEmpty else { return }
        let result = try connection.execute(
            """
            SELECT e.trip_id, (extract(epoch FROM max(e.computed_at) FILTER (WHERE NOT e.is_passed)) * 1000)::bigint,
                coalesce(max(e.stop_index) FILTER (WHERE e.is_passed) + 1, 0)
            FROM eta_history e WHERE e.trip_id = ANY ($1::text[]) GROUP BY e.trip_id
            """, [.texts(trips)])
        for trip in trips {
            ByteSlice.withBytes(of: trip) { etaSampler.restore($0, lastSample: nil, passedStops: 0) }
        }
        for row in result.rows {
            let last = row.isNull(1) ? nil : Timestamp(milliseconds: try row.integer(1))
            let passed = Int(try row.integer(2))
            ByteSlice.withBytes(of: try row.text(0)) { etaSampler.restore($0, lastSample: last, passedStops: passed) }
        }
    }

    private func restoreDrivers(_ drivers: [String], _ connection: PostgresConnection) throws {
        guard !drivers.isEmpty else { return }
        let result = try connection.execute(
            """
            SELECT d.driver_id, (extract(epoch FROM h.fixed_at) * 1000)::bigint, h.latitude, h.longitude
            FROM unnest($1::text[]) AS d (driver_id) CROSS JOIN LATERAL (
                SELECT l.fixed_at, l.latitude, l.longitude FROM location_history l
                WHERE l.driver_id = d.driver_id AND l.latitude IS NOT NULL
                ORDER BY l.fixed_at DESC LIMIT 1) h
            """, [.texts(drivers)])
        for driver in drivers { ByteSlice.withBytes(of: driver) { fixSampler.restore($0, nil) } }
        for row in result.rows {
            let at = Timestamp(milliseconds: try row.integer(1))
            let coordinate = Coordinate(latitude: try row.double(2), longitude: try row.double(3))
            ByteSlice.withBytes(of: try row.text(0)) {
                fixSampler.restore($0, FixSampler.Fix(at: at, coordinate: coordinate))
            }
        }
    }
}
