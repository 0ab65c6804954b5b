import Runtime

/// The JSON shape of ``DeadLetterSums``.
struct DeadLetterReport: Encodable {
    struct Reason: Encodable {
        var topic: String
        var reason: String
        var count: Int
        var lastAt: String
        var lastPartition: Int32
        var lastOffset: Int64
        var example: Example
    }

    /// The last dead letter with this reason.
    struct Example: Encodable {
        var key: String
        var field: String?
        var message: String
        var sourceTopic: String?
        var sourcePartition: Int32?
        var sourceOffset: Int64?
    }

    /// Bounds of the period, in ISO 8601 and UTC.
    var from: String
    var to: String
    var count: Int
    var reasons: [Reason]

    init(_ sums: DeadLetterSums, from: Int64, to: Int64) {
        self.from = WallClock.text(from)
        self.to = WallClock.text(to)
        count = sums.count
        reasons = sums.ordered.map { reason, sum in
            let (last, headers) = (sum.last, sum.last.headers)
            return Reason(
                topic: last.topic, reason: reason, count: sum.count, lastAt: WallClock.text(last.timestamp),
                lastPartition: last.partition, lastOffset: last.offset,
                example: Example(
                    key: last.key, field: headers.field, message: headers.message, sourceTopic: headers.topic,
                    sourcePartition: headers.partition, sourceOffset: headers.offset))
        }
    }
}
