import Bytes
import Foundation
import Pipeline
import Observability
import Tracking
import Wire

/// Turns records of any topic into one line each.
///
/// Belongs to one thread.
final class RecordRenderer {
    private let topic: PipelineTopic?
    private let isJSON: Bool
    private let raw = RawRecordReader()
    private let verdicts = VerdictReader()
    private let warnings = WarningReader()
    private let tripWarnings = TripWarningReader()
    private let trips = TripReader()
    private let etas = TripEtaReader()
    private let updates = RiderUpdateReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    /// Makes a renderer; `topic` decides how records are read, and `nil` shows them as they are.
    init(topic: PipelineTopic?, isJSON: Bool) {
        self.topic = topic
        self.isJSON = isJSON
    }

    /// The record as one line.
    func line(_ record: InputRecord) -> String {
        if isJSON { return json(record) }
        let place = "\(WallClock.text(record.timestamp.milliseconds))  \(record.partition)-\(record.offset)"
        return "\(place)  \(record.key.string)  \(text(record) ?? Self.plain(record.value))"
    }

    func read(_ record: InputRecord) -> RawReadResult { raw.read(key: record.key, value: record.value) }

    /// The fixes of the raw record read last.
    var fixes: [RawFix] { raw.fixes }

    func readTrip(key: ByteSlice, value: ByteSlice) -> TripMessage? {
        trips.read(key: key, value: value).message
    }

    private func json(_ record: InputRecord) -> String {
        "{\"partition\":\(record.partition),\"offset\":\(record.offset),"
            + "\"timestamp\":\"\(WallClock.text(record.timestamp.milliseconds))\","
            + "\"key\":\(Self.quoted(record.key.string)),\"value\":\(Self.value(record.value))}"
    }

    /// The value as it is when it is JSON on one line, as a text otherwise.
    private static func value(_ value: ByteSlice?) -> String {
        guard let value else { return "null" }
        let data = Data(value.buffer)
        let isObject = (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil
        let hasLineEnd = value.buffer.contains { $0 == 0x0a || $0 == 0x0d }
        return isObject && !hasLineEnd ? value.string : quoted(value.string)
    }

    private static func quoted(_ text: String) -> String {
        let data = try? JSONEncoder().encode(text)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }

    /// The beginning of a value, control characters made visible.
    private static func plain(_ value: ByteSlice?) -> String {
        guard let value else { return "(tombstone)" }
        let shown = String(decoding: value.buffer.prefix(200), as: UTF8.self)
        let text = String(String.UnicodeScalarView(shown.unicodeScalars.map { $0.value < 0x20 ? "·" : $0 }))
        return value.count > 200 ? "\(text)… (\(value.count) bytes)" : text
    }

    private func text(_ record: InputRecord) -> String? {
        switch topic {
        case .rawLocations: rawText(record)
        case .locations: record.value.flatMap { verdicts.read($0) }.map(Self.text)
        case .warnings: record.value.flatMap { warnings.read($0) }.map(Self.text)
        case .tripWarnings: record.value.flatMap { tripWarnings.read($0) }.map(Self.text)
        case .trips: tripText(record)
        case .tripEtas: record.value.flatMap { etas.read($0, into: &eta) }.map { Self.text(eta, $0) }
        case .riderUpdates: record.value.flatMap { updates.read($0) }.map(Self.text)
        case .locationsDeadLetter, .tripsDeadLetter, .tracks, .paces, nil: nil
        }
    }
}
