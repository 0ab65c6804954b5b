import Model

/// Compares a partition of a topic with what a stage, run again over the same input, writes to it.
///
/// Expected records come in the order in which the stage writes them; within each origin that is the order of their
/// clock.
final class TopicComparison {
    private let check: AuditCheck
    private let changelog: ChangelogReader
    /// Records read that have not been expected yet; more than one only while another origin's is looked for.
    private var ahead: [(record: AuditedRecord, event: EventID)] = []
    /// How far is looked for an event past records of the other origin.
    private static let lookAhead = 10_000

    init(_ source: any RecordSource, check: AuditCheck) {
        self.check = check
        changelog = ChangelogReader(source, check: check)
    }

    /// Compares the next record that was expected with the one that is there.
    ///
    /// `isDue`: whether its input was there long enough ago for the record to be there.
    func expect(_ expected: AuditedRecord, isDue: Bool) throws {
        guard let event = expected.event else { preconditionFailure("A stage made an output without an event.") }
        if let found = try take(event) {
            check.compared += 1
            if let what = Self.difference(expected, found) { check.note(.wrong, found, what) }
        } else if isDue {
            check.compared += 1
            changelog.noteMissing(
                AuditDifference(
                    kind: .missing, partition: expected.partition, event: event, key: expected.keyText,
                    what: "there is no record for it: \(Self.excerpt(expected.value ?? [], at: 0))"))
        } else {
            check.excuse(.tooNew)
        }
    }

    /// Takes the first records out of the comparison: the start of a partition whose input is not whole any more, or
    /// what lies before the run compared.
    ///
    /// `body` gets each of them; `excuse` is what they are counted as.
    func skip(
        _ excuse: AuditCheck.Excuse?, while isSkipped: (AuditedRecord, EventID) -> Bool, _ body: (AuditedRecord) -> Void
    ) throws {
        while true {
            if ahead.isEmpty, let next = try changelog.next() { ahead.append(next) }
            guard let first = ahead.first, isSkipped(first.record, first.event) else { return }
            ahead.removeFirst()
            if let excuse { check.excuse(excuse) }
            body(first.record)
        }
    }

    /// Ends the comparison; what has not been expected is foreign.
    func finish() throws {
        while let next = ahead.first {
            ahead.removeFirst()
            noteForeign(next.record)
        }
        while let next = try changelog.next() { noteForeign(next.record) }
        changelog.finish()
    }

    /// The record of `event`, after the foreign ones before it; `nil` when it is not there in its place.
    private func take(_ event: EventID) throws -> AuditedRecord? {
        var index = 0
        while true {
            if index == ahead.count {
                guard ahead.count < Self.lookAhead, let next = try changelog.next() else { return nil }
                ahead.append(next)
            }
            let found = ahead[index].event
            if found == event { return ahead.remove(at: index).record }
            if found.origin != event.origin {
                index += 1
            } else if found.isAfter(event) {
                return nil
            } else {
                noteForeign(ahead.remove(at: index).record)
            }
        }
    }

    private func noteForeign(_ record: AuditedRecord) {
        check.note(
            .foreign, record, "nothing in the input makes such a record: \(Self.excerpt(record.value ?? [], at: 0))")
    }
}

// MARK: - Saying what differs

extension TopicComparison {
    /// What differs between two records of one event, in words; `nil` when nothing does.
    static func difference(_ expected: AuditedRecord, _ found: AuditedRecord) -> String? {
        if expected.key != found.key { return "the key is \(found.keyText), expected \(expected.keyText)" }
        if expected.value != found.value {
            let (want, have) = (expected.value ?? [], found.value ?? [])
            let at = zip(want, have).enumerated().first { $1.0 != $1.1 }?.offset ?? min(want.count, have.count)
            return "the value differs at byte \(at): found \(excerpt(have, at: at)), expected \(excerpt(want, at: at))"
        }
        if expected.timestamp != found.timestamp {
            return "the time is \(found.timestamp.milliseconds), expected \(expected.timestamp.milliseconds)"
        }
        if expected.state != found.state { return "the state header differs, the value does not" }
        if expected.reason != found.reason {
            return "the reason is \(found.reason ?? "none"), expected \(expected.reason ?? "none")"
        }
        return nil
    }

    /// The bytes around a place, as text.
    private static func excerpt(_ bytes: [UInt8], at place: Int) -> String {
        let start = max(0, place - 24)
        let end = min(bytes.count, start + 72)
        guard start < end else { return "nothing" }
        return (start > 0 ? "…" : "") + String(decoding: bytes[start..<end], as: UTF8.self)
            + (end < bytes.count ? "…" : "")
    }
}
