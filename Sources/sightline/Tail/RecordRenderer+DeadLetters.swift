import Codec
import Processing

/// Dead letters: what their headers say, and the beginning of the record.
extension RecordRenderer {
    func deadLetterEntry(_ record: InputRecord, _ headers: DeadLetterHeaders) -> TailEntry {
        let source = headers.offset.map { offset in "\(headers.partition.map { "\($0)-" } ?? "")\(offset)" }
        var entry = TailEntry(
            cells: [Self.visible(headers.reason ?? ""), Self.visible(headers.field ?? ""), source ?? ""],
            details: [Self.visible(headers.message), Self.plain(record.value)].filter { !$0.isEmpty }
                .joined(separator: "  "))
        entry.driver = record.key.string
        entry.trips = tripsNamed(in: record.value)
        entry.reasons = headers.reason.map { [$0] } ?? []
        entry.highlight = (0, .red)
        entry.deadLetter = headers
        return entry
    }
}
