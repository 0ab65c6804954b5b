import Codec
import Domain
import Foundation
import Processing
import Runtime
import Support

/// A formatter of records of any topic, one line each.
///
/// Use on one thread only.
final class RecordRenderer {
    private let topic: PipelineTopic?
    private let isJSON: Bool
    /// The active filters; an entry may lack properties that no active filter needs.
    let filters: Set<TailFilter.Kind>
    private let columns: TailColumns
    private let terminal: Terminal
    let raw = RawRecordReader()
    private let verdicts = VerdictReader()
    private let warnings = WarningReader()
    private let tripWarnings = TripWarningReader()
    let trips = TripReader()
    private let etas = TripEtaReader()
    private let updates = RiderUpdateReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    /// Creates a renderer; `topic` determines the format, and is `nil` for a topic of another application.
    init(
        topic: PipelineTopic?, isJSON: Bool, filters: Set<TailFilter.Kind> = [],
        terminal: Terminal = Terminal(width: nil, hasColors: false)
    ) {
        self.topic = topic
        self.isJSON = isJSON
        self.filters = filters
        self.terminal = terminal
        columns = TailColumns(topic)
    }

    /// The line of column names; `nil` for JSON.
    var heading: String? { isJSON ? nil : terminal.paint(columns.heading, .strong) }

    /// Decodes a record; calls `headers` only for dead letters.
    func entry(_ record: InputRecord, headers: () -> [String: String] = { [:] }) -> TailEntry {
        if topic?.isDeadLetter == true { return deadLetterEntry(record, DeadLetterHeaders(headers())) }
        if readsValues, let entry = decodedEntry(record) { return entry }
        let key = record.key.string
        return TailEntry(
            details: Self.plain(record.value), driver: columns.key == "driver" ? key : nil,
            trips: (columns.key == "trip" ? [key] : []) + tripIDs(in: record.value))
    }

    /// Whether the columns or a filter need the decoded value; JSON output has no columns.
    private var readsValues: Bool { !isJSON || filters.contains { $0 != .driver || columns.key != "driver" } }

    func line(_ record: InputRecord, _ entry: TailEntry) -> String {
        if isJSON { return json(record, entry) }
        return columns.line(
            time: WallClock.text(record.timestamp.milliseconds), offset: "\(record.partition)-\(record.offset)",
            key: Self.visible(record.key.string), cells: entry.cells, details: entry.details
        ) { cell, text in
            terminal.paint(text, entry.highlight.flatMap { $0.cell == cell ? $0.ink : nil } ?? .plain)
        }
    }

    private func json(_ record: InputRecord, _ entry: TailEntry) -> String {
        "{\"partition\":\(record.partition),\"offset\":\(record.offset),"
            + "\"timestamp\":\"\(WallClock.text(record.timestamp.milliseconds))\","
            + "\"key\":\(Self.quoted(record.key.string)),"
            + (entry.deadLetter.map(Self.json) ?? "") + "\"value\":\(Self.value(record.value))}"
    }

    /// Returns the headers of a dead letter as JSON members, each followed by a comma.
    private static func json(_ letter: DeadLetterHeaders) -> String {
        var members = [
            "\"reason\":\(letter.reason.map(quoted) ?? "null")", "\"field\":\(letter.field.map(quoted) ?? "null")",
            "\"message\":\(quoted(letter.message))",
            "\"source\":{\"topic\":\(letter.topic.map(quoted) ?? "null"),\"partition\":"
                + "\(letter.partition.map { "\($0)" } ?? "null"),\"offset\":\(letter.offset.map { "\($0)" } ?? "null")}",
        ]
        if let fixes = letter.unreadableFixes {
            members.append("\"unreadable_fixes\":\(ByteSlice.withBytes(of: fixes) { value($0) })")
        }
        if let omitted = letter.omitted { members.append("\"omitted\":\(quoted(omitted))") }
        return members.joined(separator: ",") + ","
    }

    /// Returns a value that is JSON on one line unchanged, and any other as a JSON string.
    private static func value(_ value: ByteSlice?) -> String {
        guard let value else { return "null" }
        let data = Data(value.buffer)
        let isValidJSON = (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil
        let hasLineEnd = value.buffer.contains { $0 == 0x0a || $0 == 0x0d }
        return isValidJSON && !hasLineEnd ? value.string : quoted(value.string)
    }

    private static func quoted(_ text: String) -> String {
        let data = try? JSONEncoder().encode(text)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }

    /// Returns up to 200 bytes of a value, with control characters replaced.
    static func plain(_ value: ByteSlice?) -> String {
        guard let value else { return "(tombstone)" }
        let text = visible(String(decoding: value.buffer.prefix(200), as: UTF8.self))
        return value.count > 200 ? "\(text)… (\(value.count) bytes)" : text
    }

    /// Replaces control characters, which could affect the terminal.
    static func visible(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) ? "·" : $0 }))
    }

    private func decodedEntry(_ record: InputRecord) -> TailEntry? {
        switch topic {
        case .rawLocations: rawEntry(record)
        case .locations: record.value.flatMap { verdicts.read($0) }.map(Self.entry)
        case .warnings: record.value.flatMap { warnings.read($0) }.map(Self.entry)
        case .tripWarnings: record.value.flatMap { tripWarnings.read($0) }.map(Self.entry)
        case .trips: tripEntry(record)
        case .tripEtas: record.value.flatMap { etas.read($0, into: &eta) }.map { Self.entry(eta, $0) }
        case .riderUpdates: record.value.flatMap { updates.read($0) }.map(Self.entry)
        case .locationsDeadLetter, .tripsDeadLetter, .tracks, .roadSpeeds, nil: nil
        }
    }
}
