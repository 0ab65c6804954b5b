import Kafka
import Logging

/// Partitions that the group has given to this process in one go, and that are not fetched before all of them are
/// restored.
final class PendingRestore {
    private(set) var partitions: [Int32]
    let began: ContinuousClock.Instant
    /// Reads them; `nil` before it begins, and while a failed one waits to begin again.
    var restorer: PartitionRestorer?
    /// Why the last attempt failed; `nil` before the first failure.
    private(set) var trouble: KafkaError?
    private(set) var notBefore = ContinuousClock.now
    private var backoff = Backoff()
    /// How often it has failed.
    var failures: Int { backoff.attempts }

    init(partitions: [Int32]) {
        self.partitions = partitions
        began = .now
    }

    /// One of several that another has become.
    private init(_ whole: PendingRestore, partition: Int32) {
        partitions = [partition]
        began = whole.began
        trouble = whole.trouble
        notBefore = whole.notBefore
        backoff = whole.backoff
    }

    deinit { restorer?.stop() }

    /// Forgets partitions that go to another process.
    func drop(_ numbers: [Int32]) {
        partitions.removeAll { numbers.contains($0) }
        restorer?.drop(numbers)
    }

    /// Throws away what was read, and waits before the next attempt.
    func putOff(_ error: KafkaError) {
        restorer?.stop()
        restorer = nil
        trouble = error
        notBefore = .now + backoff.next()
    }

    /// A restore of each partition by itself, so that one that cannot be read does not hold the others up.
    func split() -> [PendingRestore] { partitions.map { PendingRestore(self, partition: $0) } }

    /// Whether it is being read, or may begin.
    func isDue(at now: ContinuousClock.Instant) -> Bool { restorer != nil || now >= notBefore }

    /// How far it is, as one sentence for an operator.
    var description: String {
        let seconds = began.duration(to: .now).components.seconds
        let names = partitions.map { "\($0)" }.joined(separator: ", ")
        var text = "The worker restores partitions \(names): \(count) records read"
        if let total { text = "The worker restores partitions \(names): \(count) of about \(total) records read" }
        text += " in \(seconds) s."
        if restorer == nil, let trouble { text += " The last attempt failed: \(trouble)" }
        return text
    }

    /// How it is, for the log: of each partition what was read, and of how many.
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

    /// A line names no more than these.
    private static let loggedPartitions = 12

    /// Records read of all partitions.
    private var count: Int { (restorer?.progress ?? [:]).values.reduce(0) { $0 + $1.read } }

    /// Records to read of all partitions as far as is known; `nil` before the broker has said anything of some.
    private var total: Int64? {
        guard let progress = restorer?.progress, !progress.isEmpty else { return nil }
        return progress.values.reduce(Int64(0) as Int64?) { sum, part in
            sum.flatMap { sum in part.left.map { sum + Int64(part.read) + $0 } }
        }
    }
}
