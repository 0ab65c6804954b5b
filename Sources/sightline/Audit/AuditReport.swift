import Foundation

/// What an audit found.
struct AuditReport {
    var partitions: [Int32]
    var checks: [AuditCheck]
    /// Records read from the topics, some of them several times.
    var recordsRead: Int
    /// Whether what was made before a run was left out.
    var isOfRun = false
    /// What clients did whose logs were compared; `nil` where there were none.
    var received: ReceivedTotals?

    /// Adds the checks of another audit of the same partitions.
    mutating func add(_ other: AuditReport) {
        checks += other.checks
        recordsRead += other.recordsRead
        received = other.received ?? received
    }

    var differences: Int { checks.reduce(0) { $0 + $1.differences } }

    /// The report for people.
    var text: String {
        let width = checks.map(\.name.count).max() ?? 0
        var lines = [title]
        if let received { lines.append("  \(received.text)") }
        for check in checks {
            let name = check.name.padding(toLength: width, withPad: " ", startingAt: 0)
            lines.append("  \(name)  \(Self.figures(check))")
            if check.differences > 0 { lines += Self.details(check).map { "      \($0)" } }
        }
        lines.append(conclusion)
        return lines.joined(separator: "\n")
    }

    /// What was audited.
    var title: String {
        let place = partitions.count == 1 ? "partition \(partitions[0])" : "\(partitions.count) partitions"
        // Without the checks of the pipeline.
        if received != nil, checks.count == 1 { return "Audit of what clients received, in \(place)" }
        return "Audit of \(isOfRun ? "this run in " : "")\(place)"
    }

    /// How many differences there are, in words.
    var conclusion: String { differences == 0 ? "No differences." : "\(differences) differences." }

    private static func figures(_ check: AuditCheck) -> String {
        var parts = ["\(check.compared) compared"]
        for kind in AuditDifference.Kind.allCases {
            if let count = check.counts[kind] { parts.append("\(count) \(kind.words)") }
        }
        if check.repeated > 0 { parts.append("(\(check.repeated) repeated, dropped by readers)") }
        for excuse in AuditCheck.Excuse.allCases {
            if let count = check.excused[excuse] { parts.append("(\(count) \(excuse.words))") }
        }
        return parts.joined(separator: ", ")
    }

    private static func details(_ check: AuditCheck) -> [String] {
        var lines = ["rule: \(check.rule)"]
        for example in check.examples {
            var place = "partition \(example.partition)"
            if let offset = example.offset { place += " offset \(offset)" }
            if let event = example.event { place += ", event \(event)" }
            if !example.key.isEmpty { place += ", \(example.key)" }
            lines.append("\(example.kind.words): \(place): \(example.what)")
        }
        let rest = check.differences - check.examples.count
        if rest > 0 { lines.append("and \(rest) more") }
        return lines
    }
}

extension AuditDifference.Kind {
    /// The kind as the text report says it.
    var words: String { self == .outOfOrder ? "out of order" : rawValue }
}

extension AuditCheck.Excuse {
    /// The excuse as the text report says it.
    var words: String {
        switch self {
        case .tooNew: "too new to be there"
        case .retention: "beyond retention"
        case .expired: "expired"
        case .sampled: "left out by sampling"
        case .moved: "moved to another partition"
        case .earlierVersion: "written by an earlier version"
        case .beforeSmoothing: "from before positions were smoothed"
        case .earlierTopics: "written before the topics were created anew"
        case .toldInFull: "told by a state in full"
        case .coalesced: "positions replaced by newer ones"
        case .beyondClient: "after the last that the client received"
        }
    }
}
