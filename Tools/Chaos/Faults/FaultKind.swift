import ArgumentParser
import Foundation
import TestSupport

/// A fault that the suite can inject; docs/reliability.md describes all of them.
enum FaultKind: String, CaseIterable, Sendable, ExpressibleByArgument {
    case kill
    case killWhileScaling = "kill-while-scaling"
    case killDuringRestore = "kill-during-restore"
    case zombie
    case terminate
    case clockJump = "clock-jump"
    case rollingRestart = "rolling-restart"
    case brokerOutage = "broker-outage"
    case brokerSilence = "broker-silence"
    case brokerRestart = "broker-restart"
    case deadLettersRefused = "dead-letters-refused"
    case outputPartitionRefused = "output-partition-refused"
    case poison
    case timestampJump = "timestamp-jump"
    case giantBatches = "giant-batches"
    case redisRestart = "redis-restart"
    case redisLoss = "redis-loss"
    case slowRedis = "slow-redis"
    case postgresRestart = "postgres-restart"
    case postgresCut = "postgres-cut"
    case postgresFull = "postgres-full"
    case postgresLocked = "postgres-locked"
    case slowPostgres = "slow-postgres"
    case postgresFailover = "postgres-failover"
    case gatewayKill = "gateway-kill"
    case overlapping

    /// Whether the fault must be the last, because later faults would affect a server that is no longer used.
    var isLast: Bool { self == .postgresFailover }

    /// Returns the three faults of a seed, in order.
    ///
    /// All kinds are shuffled repeatedly into one sequence; seeds 1, 2, 3, … each use the next three kinds of it. A
    /// range of seeds that is as long as the list of kinds covers every kind. A seed has the same faults in every run.
    static func plan(seed: UInt64) -> [FaultKind] {
        let first = Int(clamping: seed &- 1) * 3
        let selected = (first..<first + 3).map { index in
            var generator = SeededGenerator(seed: UInt64(index / allCases.count))
            return allCases.shuffled(using: &generator)[index % allCases.count]
        }
        return selected.filter { !$0.isLast } + selected.filter { $0.isLast }
    }
}

/// A fault that this run does not support.
struct SkippedFault: Error {
    var reason: String
}

/// An injected fault and the recovery of the pipeline.
struct FaultOutcome: Encodable {
    var kind: String
    /// Description of the fault, or the reason why it was skipped.
    var description: String
    var isSkipped = false
    /// Seconds from the end of the fault until the workers had caught up, or from a kill of the rider-gateway until its
    /// clients received events again; `nil` without a recovery.
    var recoverySeconds: Double?
    /// The last worker kind to recover, with the reason for its delay; `nil` if all had caught up at the first check.
    var lastDelayReason: String?
    var violations: [String] = []

    var text: String {
        if isSkipped { return "\(kind) skipped: \(description)" }
        return "\(description), recovered after \(Text.seconds(recoverySeconds))"
            + (lastDelayReason.map { " (last \($0))" } ?? "")
    }
}

/// Recovery times by kind of fault.
struct FaultTable {
    let outcomes: [FaultOutcome]

    var text: String {
        let rows = Dictionary(grouping: outcomes.lazy.filter { !$0.isSkipped }, by: \.kind).sorted { $0.key < $1.key }
        var lines = ["fault                   times  recovery median    longest"]
        for (kind, outcomes) in rows {
            let seconds = outcomes.compactMap(\.recoverySeconds).sorted()
            let median = seconds.isEmpty ? nil : seconds[seconds.count / 2]
            let longest = seconds.count < outcomes.count ? nil : seconds.last
            let columns = [
                kind.padding(toLength: 22, withPad: " ", startingAt: 0), Self.right("\(outcomes.count)", 6),
                Self.right(Text.seconds(median), 16), Self.right(Text.seconds(longest), 10),
            ]
            lines.append(columns.joined(separator: " "))
        }
        let skipped = Set(outcomes.lazy.filter(\.isSkipped).map(\.kind)).sorted()
        if !skipped.isEmpty { lines.append("skipped: \(skipped.joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
