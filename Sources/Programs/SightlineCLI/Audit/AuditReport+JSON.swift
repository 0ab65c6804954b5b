import Foundation

extension AuditReport: Encodable {
    private enum Key: String, CodingKey {
        case partitions, differences, checks
        case recordsRead = "records_read"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(partitions, forKey: .partitions)
        try container.encode(recordsRead, forKey: .recordsRead)
        try container.encode(differences, forKey: .differences)
        try container.encode(checks.map(Check.init), forKey: .checks)
    }

    /// One check; every kind of difference has its key, also where there is none.
    private struct Check: Encodable {
        var name: String
        var rule: String
        var compared: Int
        var repeated: Int
        var differences: [String: Int]
        var excused: [String: Int]
        var examples: [Example]

        init(_ check: AuditCheck) {
            name = check.name
            rule = check.rule
            compared = check.compared
            repeated = check.repeated
            differences = Dictionary(
                uniqueKeysWithValues: AuditDifference.Kind.allCases.map { ($0.rawValue, check.counts[$0] ?? 0) })
            excused = Dictionary(
                uniqueKeysWithValues: AuditCheck.Excuse.allCases.map { ($0.rawValue, check.excused[$0] ?? 0) })
            examples = check.examples.map(Example.init)
        }
    }

    private struct Example: Encodable {
        var kind: String
        var partition: Int32
        var offset: Int64?
        var event: String?
        var key: String
        var what: String

        init(_ difference: AuditDifference) {
            kind = difference.kind.rawValue
            partition = difference.partition
            offset = difference.offset
            event = difference.event?.description
            key = difference.key
            what = difference.what
        }
    }
}
