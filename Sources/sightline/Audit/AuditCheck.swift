import Model

/// One comparison of the audit: what was compared, and what differed.
///
/// Belongs to one thread.
final class AuditCheck {
    let name: String
    /// What is compared by which rule, in one sentence.
    let rule: String
    private let exampleLimit: Int
    /// Records, rows or keys that were compared.
    var compared = 0
    /// Records that stand on their topic again, unchanged; their readers drop them.
    private(set) var repeated = 0
    /// What was let pass, by the reason.
    private(set) var excused: [Excuse: Int] = [:]
    private(set) var counts: [AuditDifference.Kind: Int] = [:]
    /// The first differences.
    private(set) var examples: [AuditDifference] = []
    private let countsRepeats: Bool

    /// Why something that is not there, or not compared, is no difference.
    enum Excuse: String, CaseIterable {
        /// Its input came while the audit was reading.
        case tooNew = "too_new"
        /// What it would be compared with was deleted by retention.
        case retention
        /// The key's time in Redis was up.
        case expired
        /// The history keeps a sample of accepted fixes.
        case sampled
        /// The driver has gone on in another partition, as after a change of the topics' partitions.
        case moved
        /// A worker of an earlier version wrote it, which did not write what is compared.
        case earlierVersion = "earlier_version"
        /// Its record came before positions were smoothed with later fixes.
        case beforeSmoothing = "before_smoothing"
        /// It was written before the topics were created anew.
        case earlierTopics = "earlier_topics"
        /// A client got the state in full in its place.
        case toldInFull = "told_in_full"
        /// A position that a client got a newer one for, as it takes its messages too slowly.
        case coalesced
        /// It comes after the last record that a client received.
        case beyondClient = "beyond_client"
    }

    /// Makes a check without findings.
    ///
    /// `exampleLimit`: how many differences are kept in full.
    /// `countsRepeats`: whether a record that stands on its topic again is a difference.
    init(_ name: String, _ rule: String, exampleLimit: Int, countsRepeats: Bool = false) {
        self.name = name
        self.rule = rule
        self.exampleLimit = exampleLimit
        self.countsRepeats = countsRepeats
    }

    /// Differences of all kinds.
    var differences: Int { counts.values.reduce(0, +) }

    func note(_ difference: AuditDifference) {
        counts[difference.kind, default: 0] += 1
        if examples.count < exampleLimit { examples.append(difference) }
    }

    /// Notes a difference of a record that was read.
    func note(_ kind: AuditDifference.Kind, _ record: AuditedRecord, _ what: String) {
        note(
            AuditDifference(
                kind: kind, partition: record.partition, offset: record.offset, event: record.event,
                key: record.keyText, what: what))
    }

    /// Notes a difference of what a store says of an event.
    func note(_ kind: AuditDifference.Kind, _ event: EventID, offset: Int64? = nil, key: String, _ what: String) {
        note(
            AuditDifference(
                kind: kind, partition: event.partition, offset: offset, event: event, key: key, what: what))
    }

    func excuse(_ excuse: Excuse, _ count: Int = 1) { excused[excuse, default: 0] += count }

    /// Notes a record whose event and bytes were on the topic before.
    func noteRepeat(_ record: AuditedRecord) {
        guard countsRepeats else {
            repeated += 1
            return
        }
        note(.doubled, record, "the record stands on the topic more than once")
    }
}
