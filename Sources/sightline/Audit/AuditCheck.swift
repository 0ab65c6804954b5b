import Domain

/// A check of the audit, with its results.
///
/// Use on one thread only.
final class AuditCheck {
    let name: String
    /// Text of the rule that is checked, for the report.
    let rule: String
    private let exampleLimit: Int
    /// Number of records, rows or keys compared.
    var compared = 0
    /// Number of records that their topic contains again unchanged; readers drop them.
    private(set) var repeated = 0
    /// Number of tolerated missing or uncompared entries, by reason.
    private(set) var tolerated: [ToleratedReason: Int] = [:]
    /// Number of differences by kind.
    private(set) var counts: [AuditDifference.Kind: Int] = [:]
    /// The first `exampleLimit` differences.
    private(set) var examples: [AuditDifference] = []
    private let countsRepeats: Bool

    /// Reasons why a missing or uncompared record, row or key is not a difference.
    enum ToleratedReason: String, CaseIterable {
        /// Its input arrived during the audit, or its worker had not processed the input yet.
        case tooNew = "too_new"
        /// Retention has deleted its input or its row.
        case retention
        /// The lifetime of the Redis key has passed.
        case expired
        /// The history stores only a sample of the fixes with a position.
        case sampled
        /// After a change of the partition count, the driver is in another partition.
        case moved
        /// It was written by an earlier version, without the compared fields.
        case earlierVersion = "earlier_version"
        /// Its record was written before smoothing with later fixes was enabled.
        case beforeSmoothing = "before_smoothing"
        /// It was written before the topics were recreated.
        case earlierTopics = "earlier_topics"
    }

    /// Creates a check; `countsRepeats`: whether a repeated record is a difference.
    init(_ name: String, _ rule: String, exampleLimit: Int, countsRepeats: Bool = false) {
        self.name = name
        self.rule = rule
        self.exampleLimit = exampleLimit
        self.countsRepeats = countsRepeats
    }

    /// Number of differences of all kinds.
    var differences: Int { counts.values.reduce(0, +) }

    func add(_ difference: AuditDifference) {
        counts[difference.kind, default: 0] += 1
        if examples.count < exampleLimit { examples.append(difference) }
    }

    /// Adds a difference in a record.
    func add(_ kind: AuditDifference.Kind, _ record: AuditedRecord, _ what: String) {
        add(
            AuditDifference(
                kind: kind, partition: record.partition, offset: record.offset, event: record.event,
                key: record.keyText, what: what))
    }

    /// Adds a difference in an entry of a store.
    func add(_ kind: AuditDifference.Kind, _ event: EventID, offset: Int64? = nil, key: String, _ what: String) {
        add(
            AuditDifference(
                kind: kind, partition: event.partition, offset: offset, event: event, key: key, what: what))
    }

    func tolerate(_ reason: ToleratedReason, _ count: Int = 1) { tolerated[reason, default: 0] += count }

    /// Counts a record that the topic already contained unchanged; a difference if `countsRepeats` is set.
    func addRepeat(_ record: AuditedRecord) {
        guard countsRepeats else {
            repeated += 1
            return
        }
        add(.duplicate, record, "the record is on the topic more than once")
    }
}

/// A difference between the actual and the expected output of the pipeline.
struct AuditDifference: Encodable, Equatable {
    /// Kind of difference of a record, row or key.
    enum Kind: String, CaseIterable, Encodable {
        /// It does not exist.
        case missing
        /// It exists more than once, with the same event.
        case duplicate
        /// It exists more than once, with different bytes.
        ///
        /// Another build with different rules can explain ``wrong``, but not this kind.
        case contradicted
        /// It was written after its successors, so readers drop it.
        case outOfOrder = "out_of_order"
        /// Its content differs.
        case wrong
        /// Nothing in the input produces it.
        case unexpected
        /// A store contains an older value.
        case stale
        /// It cannot be decoded.
        case unreadable
        /// A worker did not reach the end of its input in time.
        case behind
    }

    var kind: Kind
    var partition: Int32
    /// The offset of the record; `nil` if there is none.
    var offset: Int64?
    var event: EventID?
    /// Key of the record or entry: a driver, a trip, or the channel of a rider update.
    var key = ""
    /// Description of the difference.
    var what: String
}
