import HistoryWorker
import Model

extension HistoryAudit {
    /// Smooths the verdicts of a partition again, and compares the rows.
    ///
    /// `due`: the offset on the topic from which on records need not have been taken up by the worker yet.
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
            try comparison.take(event, at: at, try SmoothedRow(row, at: 4), key: key)
        }
        try comparison.finish()
    }

    /// Whether fixes of the partition are smoothed by now.
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
