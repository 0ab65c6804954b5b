import Domain

/// One check of the audit with its results.
///
/// Use on one thread only.
final class AuditCheck {
    let name: String
    /// The rule that is checked.
    let rule: String
    private let exampleLimit: Int
    /// Number of records, rows or keys compared.
    var compared = 0
    /// Number of records repeated on their topic unchanged, which readers drop.
    private(set) var repeated = 0
    /// Number of tolerated absences by reason.
    private(set) var tolerated: [ToleratedReason: Int] = [:]
    private(set) var counts: [AuditDifference.Kind: Int] = [:]
    /// The first differences, up to the limit.
    private(set) var examples: [AuditDifference] = []
    private let countsRepeats: Bool

    /// Reasons why a missing or uncompared record, row or key is not a difference.
    enum ToleratedReason: String, CaseIterable {
        /// Its input arrived during the audit.
        case tooNew = "too_new"
        /// Retention has deleted its input.
        case retention
        /// The lifetime of the Redis key has passed.
        case expired
        /// The history stores a sample of accepted fixes.
        case sampled
        /// The driver is in another partition after a change of the partition count.
        case moved
        /// An earlier version wrote it without the compared fields.
        case earlierVersion = "earlier_version"
        /// Smoothing with later fixes started after its record.
        case beforeSmoothing = "before_smoothing"
        /// It was written before the topics were recreated.
        case earlierTopics = "earlier_topics"
    }

    /// Creates a check without results.
    ///
    /// `exampleLimit`: the maximum number of examples.
    /// `countsRepeats`: whether a repeated record is a difference.
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

    /// Adds a difference of a record.
    func add(_ kind: AuditDifference.Kind, _ record: AuditedRecord, _ what: String) {
        add(
            AuditDifference(
                kind: kind, partition: record.partition, offset: record.offset, event: record.event,
                key: record.keyText, what: what))
    }

    /// Adds a difference of a store entry.
    func add(_ kind: AuditDifference.Kind, _ event: EventID, offset: Int64? = nil, key: String, _ what: String) {
        add(
            AuditDifference(
                kind: kind, partition: event.partition, offset: offset, event: event, key: key, what: what))
    }

    func tolerate(_ reason: ToleratedReason, _ count: Int = 1) { tolerated[reason, default: 0] += count }

    /// Counts a record whose event and bytes were on the topic before.
    func addRepeat(_ record: AuditedRecord) {
        guard countsRepeats else {
            repeated += 1
            return
        }
        add(.duplicate, record, "the record is on the topic more than once")
    }
}

/// A difference between what the pipeline wrote and what it should have written.
struct AuditDifference: Encodable, Equatable {
    /// How a record, row or key differs.
    enum Kind: String, CaseIterable, Encodable {
        /// It does not exist.
        case missing
        /// It exists more than once.
        case duplicate
        /// It exists more than once, with different bytes.
        ///
        /// Unlike ``wrong``, different rules of another build cannot explain it.
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
    /// The offset of the record; `nil` if absent.
    var offset: Int64?
    var event: EventID?
    /// The driver, or the channel of a rider update.
    var key = ""
    /// Description of the difference.
    var what: String
}
