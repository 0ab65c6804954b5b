import Foundation

extension AuditReport: Encodable {
    private enum Key: String, CodingKey {
        case partitions, differences, checks, received
        case recordsRead = "records_read"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(partitions, forKey: .partitions)
        try container.encode(recordsRead, forKey: .recordsRead)
        try container.encode(differences, forKey: .differences)
        try container.encode(checks, forKey: .checks)
        try container.encodeIfPresent(received, forKey: .received)
    }
}

extension AuditCheck: Encodable {
    private enum Key: String, CodingKey {
        case name, rule, compared, repeated, differences, excused, examples
    }

    /// Every kind of difference has its key, also where there is none.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encode(rule, forKey: .rule)
        try container.encode(compared, forKey: .compared)
        try container.encode(repeated, forKey: .repeated)
        let differences = AuditDifference.Kind.allCases.map { ($0.rawValue, counts[$0] ?? 0) }
        try container.encode(Dictionary(uniqueKeysWithValues: differences), forKey: .differences)
        let excuses = Excuse.allCases.map { ($0.rawValue, excused[$0] ?? 0) }
        try container.encode(Dictionary(uniqueKeysWithValues: excuses), forKey: .excused)
        try container.encode(examples, forKey: .examples)
    }
}

extension AuditDifference: Encodable {
    private enum Key: String, CodingKey {
        case kind, partition, offset, event, key, what
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind.rawValue, forKey: .kind)
        try container.encode(partition, forKey: .partition)
        try container.encodeIfPresent(offset, forKey: .offset)
        try container.encodeIfPresent(event?.description, forKey: .event)
        try container.encode(key, forKey: .key)
        try container.encode(what, forKey: .what)
    }
}
