import Codec
import Domain
import HistoryWorker
import Postgres
import Runtime
import Support

/// Compares the history with its topics: each record has one row, and each row has a record.
///
/// Use on one thread only.
final class HistoryAudit {
    let connection: PostgresConnection
    let settings: PostgresSettings
    private let now: Timestamp
    private let check: () throws -> Void
    let locations: AuditCheck
    let warnings: AuditCheck
    let tripEvents: AuditCheck
    let smoothed: AuditCheck

    /// Connects to the history.
    ///
    /// `now`: the wall-clock time, for the retention of the history.
    /// `check`: called for each row and while waiting; can throw to stop.
    init(_ settings: Settings, now: Timestamp, exampleLimit: Int, check: @escaping () throws -> Void) throws {
        self.settings = settings.postgres
        self.now = now
        self.check = check
        connection = try PostgresConnection(settings.postgresConfiguration.forCommand("sightline-audit"))
        try Migrator.requireCurrent(connection)
        locations = AuditCheck(
            "history", "location_history has exactly one row per verdict, with its values",
            exampleLimit: exampleLimit)
        smoothed = AuditCheck(
            "history-smoothed",
            "smoothed_locations has exactly one row per smoothed fix, with its values",
            exampleLimit: exampleLimit)
        warnings = AuditCheck(
            "history-warnings", "location_warnings has exactly one row per warning", exampleLimit: exampleLimit)
        tripEvents = AuditCheck(
            "history-trips", "trip_events has exactly one row per change of a trip in trip.etas",
            exampleLimit: exampleLimit)
    }

    deinit { connection.close() }

    var checks: [AuditCheck] { [locations, smoothed, warnings, tripEvents] }

    var isSampled: Bool { settings.minimumIntervalMilliseconds > 0 || settings.minimumDistanceMeters > 0 }

    /// Compares the verdicts of a partition.
    ///
    /// `due`: records from this offset on need not be stored yet.
    func compareLocations(_ scope: PartitionScope, due: Int64, _ verdicts: VerdictStream) throws {
        let comparison = RowComparison<LocationRow>(
            check: locations, partition: scope.partition, difference: LocationRow.difference, mayBeNew: scope.mayBeNew
        ) { [isSampled] in
            try verdicts.next().map { record in
                let mayBeMissing = isSampled && record.row.latitude != nil
                return RowComparison.Expected(
                    event: record.event, key: record.driver, offset: record.offset, at: record.row.receivedAt,
                    fields: record.row,
                    mayBeAbsent: mayBeMissing ? .sampled : self.absence(record.row.receivedAt, record.offset, due))
            }
        }
        try rows("location_history", LocationRow.columns, "driver_id", "received_at", isTrip: false, scope) {
            event, at, key, row in
            try comparison.compare(event, at: at, try LocationRow(row, at: 4), key: key)
        }
        try comparison.finish()
    }

    /// Compares the warnings of a partition by their events.
    func compareWarnings(_ scope: PartitionScope, due: Int64, _ changelog: ChangelogReader) throws {
        let reader = WarningReader()
        let comparison = comparison(warnings, scope, due, changelog) { record in
            record.withRecord(0) { record, _ in
                record.value.flatMap { reader.read($0) }.map { ($0.eventID, $0.at.milliseconds) }
            }
        }
        try rows("location_warnings", "NULL", "driver_id", "received_at", isTrip: false, scope) { event, at, key, _ in
            try comparison.compare(event, at: at, (), key: key)
        }
        try comparison.finish()
    }

    /// Compares the changes of trips of a partition by their events.
    func compareTripEvents(_ scope: PartitionScope, due: Int64, _ changelog: ChangelogReader) throws {
        let reader = TripEtaReader()
        var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
        let comparison = comparison(tripEvents, scope, due, changelog) { record in
            guard record.event?.origin == .trips else { return nil }
            let event = record.withRecord(0) { record, _ in record.value.flatMap { reader.read($0, into: &eta) } }
            return event.flatMap { eta.change == nil ? nil : ($0, eta.computedAt.milliseconds) }
        }
        try rows("trip_events", "NULL", "trip_id", "computed_at", isTrip: true, scope) { event, at, key, _ in
            try comparison.compare(event, at: at, (), key: key)
        }
        try comparison.finish()
    }

    /// A comparison of events only; `read` returns the event and time of a record that has a row.
    private func comparison(
        _ check: AuditCheck, _ scope: PartitionScope, _ due: Int64, _ changelog: ChangelogReader,
        _ read: @escaping (AuditedRecord) -> (EventID, Int64)?
    ) -> RowComparison<Void> {
        RowComparison<Void>(
            check: check, partition: scope.partition, difference: { _, _ in nil }, mayBeNew: scope.mayBeNew
        ) {
            while let next = try changelog.next() {
                guard let (event, at) = read(next.record) else { continue }
                return RowComparison.Expected(
                    event: event, key: next.record.keyText, offset: next.record.offset, at: at, fields: (),
                    mayBeAbsent: self.absence(at, next.record.offset, due))
            }
            return nil
        }
    }

    /// The reason why a row may be missing.
    func absence(_ at: Int64, _ offset: Int64, _ due: Int64) -> AuditCheck.ToleratedReason? {
        if offset >= due { return .tooNew }
        let day: Int64 = 86_400_000
        let oldest = (now.milliseconds / day - Int64(settings.retentionDays)) * day
        return settings.retentionDays > 0 && at < oldest ? .retention : nil
    }

    /// Calls `body` with the rows of a partition, ordered by event and time: the event, the time in epoch milliseconds,
    /// the key, and the row with `columns` from the fifth on.
    func rows(
        _ table: String, _ columns: String, _ key: String, _ time: String, isTrip: Bool, _ scope: PartitionScope,
        _ body: (EventID, Int64, String, PostgresRow) throws -> Void
    ) throws {
        let condition = isTrip ? "AND event_is_trip" : ""
        try connection.stream(
            """
            SELECT event_offset, event_part, \(key), (extract(epoch FROM \(time)) * 1000)::bigint, \(columns)
            FROM \(table)
            WHERE kafka_partition = $1 AND event_offset >= $2 \(condition)
            ORDER BY event_offset, event_part, \(time)
            """, [.integer(Int64(scope.partition)), .integer(isTrip ? scope.firstTrip : scope.firstRaw)], check: check
        ) { row in
            try check()
            let event = EventID(
                origin: isTrip ? .trips : .raw, partition: scope.partition, offset: try row.integer(0),
                part: UInt64(bitPattern: try row.integer(1)))
            try body(event, try row.integer(3), try row.text(2), row)
        }
    }
}

extension HistoryAudit {
    /// Smooths the verdicts of a partition again, and compares the rows.
    ///
    /// `due`: records from this offset on need not be processed yet.
    func compareSmoothed(_ scope: PartitionScope, due: Int64, _ source: any RecordSource) throws {
        guard settings.smoothsPaths, try hasBegun(scope.partition) else { return }
        let stream = SmoothedStream(source)
        let comparison = RowComparison<SmoothedRow?>(
            check: smoothed, partition: scope.partition,
            difference: { expected, found in
                guard let expected, let found else { return nil }
                return expected == found ? nil : "the row is \(found), expected \(expected)"
            }, mayBeNew: scope.mayBeNew
        ) { [isSampled] in
            try stream.next().map { fix in
                RowComparison.Expected(
                    event: fix.label.event, key: fix.driver, offset: fix.offset, at: fix.label.receivedAt.milliseconds,
                    fields: fix.row,
                    mayBeAbsent: isSampled
                        ? .sampled
                        : self.absence(fix.label.receivedAt.milliseconds, fix.emittedAt ?? .max, due),
                    mayBeAbsentFirst: .beforeSmoothing)
            }
        }
        try rows("smoothed_locations", SmoothedRow.columns, "driver_id", "received_at", isTrip: false, scope) {
            event, at, key, row in
            try comparison.compare(event, at: at, try SmoothedRow(row, at: 4), key: key)
        }
        try comparison.finish()
    }

    /// Whether smoothing has started in the partition.
    private func hasBegun(_ partition: Int32) throws -> Bool {
        let result = try connection.execute(
            """
            SELECT smoothing_offset IS NOT NULL FROM sink_progress
            WHERE sink = $1 AND topic = $2 AND kafka_partition = $3
            """,
            [
                .text(HistorySink.name), .text(PipelineTopic.locations.rawValue), .integer(Int64(partition)),
            ])
        return try result.first?.boolean(0) ?? false
    }
}
