import Domain

/// The result of an audit.
package struct AuditReport {
    var partitions: [Int32]
    var checks: [AuditCheck]
    /// Number of records read; a record that is read several times counts each time.
    var recordsRead: Int
    /// Whether only the records of one run were audited.
    var isOfRun = false

    package var differences: Int { checks.reduce(0) { $0 + $1.differences } }

    /// Number of differences besides arrival times that a worker has written after it lost its partition.
    ///
    /// Readers drop them, because they do not advance the watermark: records whose event the topic had already, and
    /// punctuations of the time without a connection, which the next owner did not have.
    package var relevantDifferences: Int {
        let late = checks.filter { $0.name == "etas" }.reduce(0) { count, check in
            let punctuations = check.examples.count { $0.kind == .outOfOrder && $0.event?.punctuation ?? 0 > 0 }
            return count + punctuations + (check.counts[.contradicted] ?? 0)
        }
        return differences - late
    }

    package var text: String {
        let width = checks.map(\.name.count).max() ?? 0
        var lines = [title]
        for check in checks {
            lines.append("  \(check.name.padded(to: width))  \(Self.figures(check))")
            if check.differences > 0 { lines += Self.details(check).map { "      \($0)" } }
        }
        lines.append(conclusion)
        return lines.joined(separator: "\n")
    }

    var title: String {
        let scope = partitions.count == 1 ? "partition \(partitions[0])" : "\(partitions.count) partitions"
        return "Audit of \(isOfRun ? "this run in " : "")\(scope)"
    }

    /// The last line of ``text``.
    var conclusion: String { differences == 0 ? "No differences." : "\(pluralize(differences, "difference"))." }

    private static func figures(_ check: AuditCheck) -> String {
        var parts = ["\(check.compared) compared"]
        for kind in AuditDifference.Kind.allCases {
            if let count = check.counts[kind] { parts.append("\(count) \(kind.words)") }
        }
        if check.repeated > 0 { parts.append("(\(check.repeated) repeated, dropped by readers)") }
        for reason in AuditCheck.ToleratedReason.allCases {
            if let count = check.tolerated[reason] { parts.append("(\(count) \(reason.words))") }
        }
        return parts.joined(separator: ", ")
    }

    private static func details(_ check: AuditCheck) -> [String] {
        var lines = ["rule: \(check.rule)"]
        for example in check.examples {
            var location = "partition \(example.partition)"
            if let offset = example.offset { location += " offset \(offset)" }
            if let event = example.event { location += ", event \(event)" }
            if !example.key.isEmpty { location += ", \(example.key)" }
            lines.append("\(example.kind.words): \(location): \(example.what)")
        }
        let rest = check.differences - check.examples.count
        if rest > 0 { lines.append("and \(rest) more") }
        return lines
    }
}

extension AuditDifference.Kind {
    var words: String { self == .outOfOrder ? "out of order" : rawValue }
}

extension AuditCheck.ToleratedReason {
    var words: String {
        switch self {
        case .tooNew: "too new"
        case .retention: "deleted by retention"
        case .expired: "expired"
        case .sampled: "not sampled"
        case .moved: "moved to another partition"
        case .earlierVersion: "written by an earlier version"
        case .beforeSmoothing: "before smoothing was enabled"
        case .earlierTopics: "written before the topics were recreated"
        }
    }
}

extension AuditReport: Encodable {
    private enum Key: CodingKey { case partitions, differences, checks, recordsRead }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(partitions, forKey: .partitions)
        try container.encode(recordsRead, forKey: .recordsRead)
        try container.encode(differences, forKey: .differences)
        try container.encode(checks, forKey: .checks)
    }
}

extension AuditCheck: Encodable {
    private enum Key: CodingKey { case name, rule, compared, repeated, differences, excused, examples }

    /// Writes a key for every kind of difference and every tolerated reason.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encode(rule, forKey: .rule)
        try container.encode(compared, forKey: .compared)
        try container.encode(repeated, forKey: .repeated)
        let differences = AuditDifference.Kind.allCases.map { ($0.rawValue, counts[$0] ?? 0) }
        try container.encode(Dictionary(uniqueKeysWithValues: differences), forKey: .differences)
        let tolerated = ToleratedReason.allCases.map { ($0.rawValue, self.tolerated[$0] ?? 0) }
        try container.encode(Dictionary(uniqueKeysWithValues: tolerated), forKey: .excused)
        try container.encode(examples, forKey: .examples)
    }
}

extension EventID: Encodable {
    package func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
