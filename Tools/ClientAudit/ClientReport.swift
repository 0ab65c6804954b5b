import Domain

/// Differences between the messages that clients received and the topic.
struct ClientReport {
    enum Kind: String, CaseIterable {
        /// The client received a later record or cursor, but not this record.
        case missing
        /// The client received a record that it already had.
        case duplicate
        /// The record was received after a later record of its partition.
        case outOfOrder = "out_of_order"
        /// The received record has other bytes than the record in the topic.
        case wrong
        /// The topic does not contain the record, or the client was not subscribed.
        case unexpected
    }

    /// Reasons why a record is not compared.
    enum Excuse: String, CaseIterable {
        /// Retention may have deleted the record.
        case retention
        /// A full snapshot replaced the record.
        case replacedBySnapshot = "replaced_by_snapshot"
        /// The record comes after the last record that the client received or was required to receive.
        case beyondClient = "beyond_client"

        fileprivate var words: String {
            switch self {
            case .retention: "deleted by retention"
            case .replacedBySnapshot: "replaced by a full snapshot"
            case .beyondClient: "after the last one that the client received"
            }
        }
    }

    struct Example: Equatable {
        var kind: Kind
        var channel: String
        var event: EventID
        /// Offset in the topic; `nil` if the topic does not contain the event.
        var offset: Int64?
        var what: String
    }

    let exampleLimit: Int
    var clients = 0
    var connections = 0
    /// Channels, counted once per client.
    var channels = 0
    /// Full snapshots, except the first answer for a channel.
    var fullSnapshots = 0
    /// Number of received and missing records.
    var compared = 0
    private(set) var counts: [Kind: Int] = [:]
    private(set) var excused: [Excuse: Int] = [:]
    private(set) var examples: [Example] = []

    init(exampleLimit: Int) { self.exampleLimit = exampleLimit }

    var differences: Int { counts.values.reduce(0, +) }

    mutating func add(_ example: Example) {
        counts[example.kind, default: 0] += 1
        if examples.count < exampleLimit { examples.append(example) }
    }

    mutating func excuse(_ excuse: Excuse, _ count: Int = 1) { excused[excuse, default: 0] += count }

    var text: String {
        var parts = ["\(compared) compared"]
        parts += Kind.allCases.compactMap { kind in
            counts[kind].map { "\($0) \(kind == .outOfOrder ? "out of order" : kind.rawValue)" }
        }
        parts += Excuse.allCases.compactMap { excuse in excused[excuse].map { "(\($0) \(excuse.words))" } }
        let lines = [
            "Clients: \(clients), connections: \(connections), subscribed channels: \(channels), full snapshots after the "
                + "first: \(fullSnapshots)", parts.joined(separator: ", "),
        ]
        let details = examples.map { example in
            let offset = example.offset.map { " offset \($0)" } ?? ""
            return "  \(example.kind.rawValue): \(example.channel), event \(example.event)\(offset): \(example.what)"
        }
        let rest = differences - examples.count
        let end = differences == 0 ? "No differences." : "\(differences) differences."
        return (lines + details + (rest > 0 ? ["  and \(rest) more"] : []) + [end]).joined(separator: "\n")
    }
}

/// The members are named as in the report of `sightline audit`, so that chaos runs can read both.
extension ClientReport: Encodable {
    private struct Document: Encodable {
        struct Check: Encodable {
            var name = "received"
            var compared: Int
            var repeated = 0
            var differences: [String: Int]
            var excused: [String: Int]
        }

        var differences: Int
        var checks: [Check]
        var received: [String: Int]
    }

    func encode(to encoder: any Encoder) throws {
        let check = Document.Check(
            compared: compared,
            differences: Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0.rawValue, counts[$0] ?? 0) }),
            excused: Dictionary(uniqueKeysWithValues: Excuse.allCases.map { ($0.rawValue, excused[$0] ?? 0) }))
        let received = [
            "clients": clients, "connections": connections, "channels": channels, "full_refreshes": fullSnapshots,
        ]
        try Document(differences: differences, checks: [check], received: received).encode(to: encoder)
    }
}
