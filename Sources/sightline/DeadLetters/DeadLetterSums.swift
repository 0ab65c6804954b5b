import Codec
import Runtime

/// Counts of dead letters by topic and reason.
struct DeadLetterSums {
    /// Topic, offset, receipt time, key and headers of a dead letter.
    struct Letter {
        var topic: String
        var partition: Int32
        var offset: Int64
        /// Milliseconds since 1970.
        var timestamp: Int64
        var key: String
        var headers: DeadLetterHeaders
    }

    /// The dead letters of a topic with one reason.
    struct Sum {
        var count: Int
        /// The dead letter received last; of several with the same time, the one read last.
        var last: Letter
    }

    /// Reason listed for a record without dead-letter headers.
    static let noReason = "NO_REASON"

    private struct Name: Hashable {
        var topic: String
        var reason: String
    }

    private var sums: [Name: Sum] = [:]
    private(set) var count = 0

    mutating func add(_ letter: Letter) {
        count += 1
        let name = Name(topic: letter.topic, reason: letter.headers.reason ?? Self.noReason)
        var sum = sums[name] ?? Sum(count: 0, last: letter)
        sum.count += 1
        if letter.timestamp >= sum.last.timestamp { sum.last = letter }
        sums[name] = sum
    }

    /// All sums, the largest first.
    var ordered: [(reason: String, sum: Sum)] {
        sums.map { (reason: $0.key.reason, sum: $0.value) }
            .sorted { ($1.sum.count, $0.sum.last.topic, $0.reason) < ($0.sum.count, $1.sum.last.topic, $1.reason) }
    }
}

extension DeadLetterSums {
    /// Returns one table per topic, in lines of at most `width` characters.
    func table(width: Int?) -> [String] {
        var lines: [String] = []
        let rows = ordered
        var topics: [String] = []
        for (_, sum) in rows where !topics.contains(sum.last.topic) { topics.append(sum.last.topic) }
        for topic in topics {
            if !lines.isEmpty { lines.append("") }
            lines.append(topic)
            lines += Self.table(rows.filter { $0.sum.last.topic == topic }, width)
        }
        return lines
    }

    private static func table(_ rows: [(reason: String, sum: Sum)], _ width: Int?) -> [String] {
        let columns = [("count", true), ("reason", false), ("last_at", false), ("last_offset", false)]
        var table = TextTable(columns.map { TextTable.Column(name: $0.0, isNumeric: $0.1) })
        table.advice = "widen the terminal, or use --json"
        for (reason, sum) in rows {
            let last = sum.last
            table.add([
                "\(sum.count)", reason, WallClock.text(last.timestamp), "\(last.partition)-\(last.offset)",
            ])
            table.details.append(RecordRenderer.visible(example(last)))
        }
        return table.lines(width: width)
    }

    /// Returns the message of a dead letter, with key, topic and offset of its source record.
    private static func example(_ letter: Letter) -> String {
        let (key, headers) = (letter.key, letter.headers)
        let message = headers.message.isEmpty ? "The record has no message." : headers.message
        guard let topic = headers.topic, let partition = headers.partition, let offset = headers.offset else {
            return message
        }
        return "\(message) (key \(FaultText.shortened(key)), \(topic) \(partition)-\(offset))"
    }
}
