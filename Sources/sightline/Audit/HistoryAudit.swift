import Codec
import Domain
import HistoryWorker
import Postgres
import Runtime
import Support

/// A comparison of the history with its topics: each record has one row, and each row has a record.
///
/// Use on one thread only.
final class HistoryAudit {
    private let connection: PostgresConnection
    private let settings: PostgresSettings
    private let now: Timestamp
    private let checks: AuditChecks
    private let check: () throws -> Void

    /// Connects to Postgres; `check` is called per row and while waiting, and can throw to stop.
    init(_ settings: Settings, _ checks: AuditChecks, now: Timestamp, check: @escaping () throws -> Void) throws {
        self.settings = settings.postgres
        self.checks = checks
        self.now = now
        self.check = check
        connection = try PostgresConnection(settings.postgresConfiguration.forCommand("sightline-audit"))
        try Migrator.requireCurrent(connection)
    }

    deinit { connection.close() }

    private var isSampled: Bool { settings.minimumIntervalMilliseconds > 0 || settings.minimumDistanceMeters > 0 }

    /// Compares the verdicts of a partition.
    ///
    /// `due`: records from this offset on need not be stored yet.
    func compareLocations(_ scope: PartitionScope, due: Int64, _ verdicts: VerdictStream) throws {
        try compare("location_history", LocationRow.columns, checks.history, scope) { [isSampled] in
            try verdicts.next().map { record in
                let mayBeMissing = isSampled && record.row.hasPosition
                return RowComparison.Expected(
                    event: record.event, key: record.driver, offset: record.offset, at: record.row.receivedAt,
                    values: record.row.values,
                    mayBeAbsent: mayBeMissing ? .sampled : self.absence(record.row.receivedAt, record.offset, due))
            }
        }
    }

    /// Smooths the verdicts of a partition again, and compares the rows.
    ///
    /// `due`: records from this offset on need not be processed yet.
    func compareSmoothed(_ scope: PartitionScope, due: Int64, _ source: any RecordSource) throws {
        guard settings.smoothsPaths, try isSmoothed(scope.partition) else { return }
        let stream = SmoothedStream(source)
        try compare("smoothed_locations", SmoothedStream.columns, checks.smoothed, scope) { [isSampled] in
            try stream.next().map { fix in
                let at = fix.label.receivedAt.milliseconds
                return RowComparison.Expected(
                    event: fix.label.event, key: fix.driver, offset: fix.offset, at: at, values: fix.values,
                    mayBeAbsent: isSampled ? .sampled : self.absence(at, fix.emittedAt ?? .max, due),
                    mayBeAbsentFirst: .beforeSmoothing)
            }
        }
    }

    /// Compares the event ids of the warnings of a partition.
    func compareWarnings(_ scope: PartitionScope, due: Int64, _ changelog: ChangelogReader) throws {
        let reader = WarningReader()
        try compareEvents("location_warnings", checks.historyWarnings, scope, due, changelog) { record in
            record.read { reader.read($0).map { ($0.eventID, $0.at.milliseconds) } }
        }
    }

    /// Compares the event ids of the trip changes of a partition.
    func compareTripEvents(_ scope: PartitionScope, due: Int64, _ changelog: ChangelogReader) throws {
        let reader = TripEtaReader()
        var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
        try compareEvents("trip_events", isTrip: true, checks.historyTrips, scope, due, changelog) { record in
            guard record.event?.origin == .trips else { return nil }
            return record.read { reader.read($0, into: &eta) }.flatMap {
                eta.change == nil ? nil : ($0, eta.computedAt.milliseconds)
            }
        }
    }

    /// Compares only event ids; `read` returns the event and time of a record that has a row.
    private func compareEvents(
        _ table: String, isTrip: Bool = false, _ check: AuditCheck, _ scope: PartitionScope, _ due: Int64,
        _ changelog: ChangelogReader, _ read: @escaping (AuditedRecord) -> (EventID, Int64)?
    ) throws {
        try compare(table, isTrip: isTrip, [StoredColumn<Void>](), check, scope) {
            while let next = try changelog.next() {
                guard let (event, at) = read(next.record) else { continue }
                return RowComparison.Expected(
                    event: event, key: next.record.keyText, offset: next.record.offset, at: at,
                    mayBeAbsent: self.absence(at, next.record.offset, due))
            }
            return nil
        }
    }

    /// Compares the rows of a table in a partition with the records that `nextExpected` returns.
    private func compare<Source>(
        _ table: String, isTrip: Bool = false, _ columns: [StoredColumn<Source>], _ check: AuditCheck,
        _ scope: PartitionScope, _ nextExpected: @escaping () throws -> RowComparison.Expected?
    ) throws {
        let comparison = RowComparison(
            check: check, scope, columns: columns.map(\.name), nextExpected: nextExpected)
        let (key, time) = isTrip ? ("trip_id", "computed_at") : ("driver_id", "received_at")
        let selected = ["event_offset", "event_part", key, "(extract(epoch FROM \(time)) * 1000)::bigint"]
        try connection.stream(
            """
            SELECT \((selected + columns.map(\.expression)).joined(separator: ", "))
            FROM \(table)
            WHERE kafka_partition = $1 AND event_offset >= $2 \(isTrip ? "AND event_is_trip" : "")
            ORDER BY event_offset, event_part, \(time)
            """, [.integer(Int64(scope.partition)), .integer(isTrip ? scope.firstTrip : scope.firstRaw)],
            check: self.check
        ) { row in
            try self.check()
            let event = EventID(
                origin: isTrip ? .trips : .raw, partition: scope.partition, offset: try row.integer(0),
                part: UInt64(bitPattern: try row.integer(1)))
            let values = try columns.enumerated().map { try $1.read(row, at: selected.count + $0) }
            try comparison.compare(event, at: try row.integer(3), values, key: try row.text(2))
        }
        try comparison.finish()
    }

    /// Returns the reason why a row may be missing; `nil` if it is required.
    private func absence(_ at: Int64, _ offset: Int64, _ due: Int64) -> AuditCheck.ToleratedReason? {
        if offset >= due { return .tooNew }
        let day: Int64 = 86_400_000
        let oldest = (now.milliseconds / day - Int64(settings.retentionDays)) * day
        return settings.retentionDays > 0 && at < oldest ? .retention : nil
    }

    /// Returns whether smoothing has started in the partition.
    private func isSmoothed(_ partition: Int32) throws -> Bool {
        let result = try connection.execute(
            """
            SELECT smoothing_offset IS NOT NULL FROM sink_progress
            WHERE sink = $1 AND topic = $2 AND kafka_partition = $3
            """,
            [.text(HistorySink.name), .text(PipelineTopic.locations.rawValue), .integer(Int64(partition))])
        return try result.first?.boolean(0) ?? false
    }
}
