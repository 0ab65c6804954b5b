import Domain

/// A comparison of a partition with the outputs of a processor that runs again over the same input.
///
/// Expected records are ordered as the processor writes them, which is the event order within each origin.
final class TopicComparison {
    private let check: AuditCheck
    private let changelog: ChangelogReader
    /// Records that are read but not compared yet.
    ///
    /// There are several only while an event is searched behind records of the other origin (raw or trips).
    private var ahead: [(record: AuditedRecord, event: EventID)] = []
    /// Maximum size of `ahead`.
    private static let lookAhead = 10_000

    init(_ source: any RecordSource, check: AuditCheck) {
        self.check = check
        changelog = ChangelogReader(source, check: check)
    }

    /// Compares the next expected record with the topic.
    ///
    /// `isDue`: whether the record must exist already.
    func expect(_ expected: AuditedRecord, isDue: Bool) throws {
        guard let event = expected.event else {
            preconditionFailure("A processor wrote an output without an event id.")
        }
        if let actual = try find(event) {
            check.compared += 1
            if let what = Self.difference(expected, actual) { check.add(.wrong, actual, what) }
        } else if isDue {
            check.compared += 1
            changelog.addMissing(
                AuditDifference(
                    kind: .missing, partition: expected.partition, event: event, key: expected.keyText,
                    what: "the record does not exist: \(Self.excerpt(expected.value ?? [], at: 0))"))
        } else {
            check.tolerate(.tooNew)
        }
    }

    /// Skips the first records that satisfy `isSkipped`, and calls `body` with each.
    ///
    /// The input of these records has been deleted, or is before the run; they count as tolerated for `reason`, if any.
    func skip(
        _ reason: AuditCheck.ToleratedReason?, while isSkipped: (AuditedRecord, EventID) -> Bool,
        _ body: (AuditedRecord) -> Void
    ) throws {
        while true {
            if ahead.isEmpty, let next = try changelog.next() { ahead.append(next) }
            guard let first = ahead.first, isSkipped(first.record, first.event) else { return }
            ahead.removeFirst()
            if let reason { check.tolerate(reason) }
            body(first.record)
        }
    }

    func finish() throws {
        for next in ahead { addForeign(next.record) }
        ahead = []
        while let next = try changelog.next() { addForeign(next.record) }
        changelog.finish()
    }

    /// Removes and returns the record of `event`; `nil` if it is missing.
    ///
    /// Records before it are unexpected.
    private func find(_ event: EventID) throws -> AuditedRecord? {
        var index = 0
        while true {
            if index == ahead.count {
                guard ahead.count < Self.lookAhead, let next = try changelog.next() else { return nil }
                ahead.append(next)
            }
            let candidate = ahead[index].event
            if candidate == event { return ahead.remove(at: index).record }
            if candidate.origin != event.origin {
                index += 1
            } else if candidate.isAfter(event) {
                return nil
            } else {
                addForeign(ahead.remove(at: index).record)
            }
        }
    }

    private func addForeign(_ record: AuditedRecord) {
        check.add(
            .unexpected, record, "nothing in the input produces this record: \(Self.excerpt(record.value ?? [], at: 0))"
        )
    }
}

extension TopicComparison {
    /// Describes the first difference between two records; `nil` if they are equal.
    static func difference(_ expected: AuditedRecord, _ actual: AuditedRecord) -> String? {
        if expected.key != actual.key { return "the key is \(actual.keyText), expected \(expected.keyText)" }
        if expected.value != actual.value {
            let (expectedBytes, actualBytes) = (expected.value ?? [], actual.value ?? [])
            let at =
                zip(expectedBytes, actualBytes).enumerated().first { $1.0 != $1.1 }?.offset
                ?? min(expectedBytes.count, actualBytes.count)
            return "the value differs at byte \(at): actual \(excerpt(actualBytes, at: at)), "
                + "expected \(excerpt(expectedBytes, at: at))"
        }
        if expected.timestamp != actual.timestamp {
            return "the time is \(actual.timestamp.milliseconds), expected \(expected.timestamp.milliseconds)"
        }
        if expected.state != actual.state { return "the state header differs, but not the value" }
        if expected.reason != actual.reason {
            return "the reason is \(actual.reason ?? "none"), expected \(expected.reason ?? "none")"
        }
        return nil
    }

    /// Returns the bytes around an index as text.
    private static func excerpt(_ bytes: [UInt8], at index: Int) -> String {
        let start = max(0, index - 24)
        let end = min(bytes.count, start + 72)
        guard start < end else { return "nothing" }
        return (start > 0 ? "…" : "") + String(decoding: bytes[start..<end], as: UTF8.self)
            + (end < bytes.count ? "…" : "")
    }
}
