import Codec
import Foundation
import Processing
import Support

/// Entries of dead letters, and the trip ids of raw and unreadable records.
extension RecordRenderer {
    func deadLetterEntry(_ record: InputRecord, _ headers: DeadLetterHeaders) -> TailEntry {
        let source = headers.offset.map { offset in "\(headers.partition.map { "\($0)-" } ?? "")\(offset)" }
        return TailEntry(
            cells: [Self.visible(headers.reason ?? ""), Self.visible(headers.field ?? ""), source ?? ""],
            details: [Self.visible(headers.message), Self.plain(record.value)].filter { !$0.isEmpty }
                .joined(separator: "  "), driver: record.key.string, trips: tripIDs(in: record.value),
            reasons: headers.reason.map { [$0] } ?? [], highlight: (0, .bad), deadLetter: headers)
    }

    /// Names of the member with the trip id.
    private static let spellings = AcceptedNames.rawLocations.members.first { $0.name == "trip_id" }?.spellings ?? []

    /// Returns all trip ids in a record; empty without a filter by trip.
    ///
    /// Scans the text for members, because a batch has several fixes and a dead letter may be invalid JSON.
    func tripIDs(in value: ByteSlice?) -> [String] {
        guard filters.contains(.trip), let value else { return [] }
        return MemberScanner(value).compactMap { member in
            guard member.isString, Self.spellings.contains(where: { member.name.buffer.elementsEqual($0.utf8) }) else {
                return nil
            }
            return Self.text(value[member.range])
        }
    }

    /// Unescapes the content of a JSON string; `nil` for invalid escapes.
    private static func text(_ inside: ByteSlice) -> String? {
        guard inside.buffer.contains(UInt8(ascii: "\\")) else { return inside.string }
        return try? JSONDecoder().decode(String.self, from: Data("\"\(inside.string)\"".utf8))
    }
}
