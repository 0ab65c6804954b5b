import Kafka
import Logging

/// Partitions that are restored together, and fetched when all are restored.
final class PendingRestore {
    private(set) var partitions: [Int32]
    let began: ContinuousClock.Instant
    /// Current attempt; `nil` before the first one, and between a failure and the retry.
    var restorer: PartitionRestorer?
    /// The error of the last attempt; `nil` if none has failed.
    private(set) var lastError: KafkaError?
    private(set) var notBefore = ContinuousClock.now
    private var backoff = Backoff()
    var failures: Int { backoff.attempts }

    init(partitions: [Int32]) {
        self.partitions = partitions
        began = .now
    }

    private init(_ original: PendingRestore, partition: Int32) {
        partitions = [partition]
        began = original.began
        lastError = original.lastError
        notBefore = original.notBefore
        backoff = original.backoff
    }

    deinit { restorer?.stop() }

    /// Removes revoked partitions.
    func drop(_ numbers: [Int32]) {
        partitions.removeAll { numbers.contains($0) }
        restorer?.drop(numbers)
    }

    /// Discards the records read, and delays the next attempt.
    func postpone(_ error: KafkaError) {
        restorer?.stop()
        restorer = nil
        lastError = error
        notBefore = .now + backoff.next()
    }

    /// Returns one restore per partition, so that an unreadable partition does not block other partitions.
    func split() -> [PendingRestore] { partitions.map { PendingRestore(self, partition: $0) } }

    /// Returns whether the restore is in progress or may start.
    func isDue(at now: ContinuousClock.Instant) -> Bool { restorer != nil || now >= notBefore }

    /// The progress, as one sentence for an operator.
    var description: String {
        let seconds = began.duration(to: .now).components.seconds
        let names = partitions.map { "\($0)" }.joined(separator: ", ")
        var text = "Restoring partitions \(names): \(count) records read"
        if let total { text = "Restoring partitions \(names): \(count) of about \(total) records read" }
        text += " in \(seconds) s."
        if restorer == nil, let lastError { text += " The last attempt failed: \(lastError)" }
        return text
    }

    /// Log metadata with the records read and their total, by partition.
    var metadata: Logger.Metadata {
        let progress = restorer?.progress ?? [:]
        let parts = partitions.prefix(Self.loggedPartitions).map { partition in
            let read = progress[partition]?.read ?? 0
            return "\(partition): \(read) of \(progress[partition]?.left.map { "\(Int64(read) + $0)" } ?? "?")"
        }
        let rest =
            partitions.count > Self.loggedPartitions ? ", and \(partitions.count - Self.loggedPartitions) more" : ""
        return .of([
            .partitions: "\(parts.joined(separator: ", "))\(rest)", .count: "\(count)",
            .total: "\(total.map { "\($0)" } ?? "?")", .seconds: "\(began.duration(to: .now).components.seconds)",
        ])
    }

    /// Maximum number of partitions in a log line.
    private static let loggedPartitions = 12

    /// Number of records read in the current attempt; 0 if none is running.
    private var count: Int { (restorer?.progress ?? [:]).values.reduce(0) { $0 + $1.read } }

    /// Approximate records to read; `nil` until the broker has reported all partitions.
    private var total: Int64? {
        guard let progress = restorer?.progress, !progress.isEmpty else { return nil }
        return progress.values.reduce(Int64(0) as Int64?) { sum, part in
            sum.flatMap { sum in part.left.map { sum + Int64(part.read) + $0 } }
        }
    }
}
