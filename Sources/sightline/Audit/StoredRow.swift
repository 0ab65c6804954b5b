import Codec
import Domain
import Postgres
import Support

enum StoredValue: Equatable, CustomStringConvertible {
    case integer(Int64), double(Double), real(Float), boolean(Bool), text(String)

    var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .real(let value): "\(value)"
        case .boolean(let value): "\(value)"
        case .text(let value): value
        }
    }
}

/// A column of a history table, with the function that computes its value for a record.
struct StoredColumn<Source>: Sendable {
    private enum Kind { case integer, time, double, real, boolean, text, codes }

    let name: String
    private let kind: Kind
    let value: @Sendable (Source) -> StoredValue?

    /// The column in a SELECT list; times are epoch milliseconds, arrays of codes are separated by commas.
    var expression: String {
        switch kind {
        case .time: "(extract(epoch FROM \(name)) * 1000)::bigint"
        case .codes: "array_to_string(\(name), ',')"
        default: name
        }
    }

    func read(_ row: PostgresRow, at index: Int) throws -> StoredValue? {
        guard let text = row.string(index) else { return kind == .codes ? .text("") : nil }
        switch kind {
        case .integer, .time: return .integer(try row.integer(index))
        case .double: return .double(try row.double(index))
        case .real: return Float(text).map(StoredValue.real)
        case .boolean: return .boolean(try row.boolean(index))
        case .text, .codes: return .text(text)
        }
    }

    static func integer(_ name: String, _ value: @escaping @Sendable (Source) -> Int64?) -> Self {
        Self(name: name, kind: .integer) { value($0).map(StoredValue.integer) }
    }
    static func time(_ name: String, _ value: @escaping @Sendable (Source) -> Timestamp?) -> Self {
        Self(name: name, kind: .time) { value($0).map { .integer($0.milliseconds) } }
    }
    static func double(_ name: String, _ value: @escaping @Sendable (Source) -> Double?) -> Self {
        Self(name: name, kind: .double) { value($0).map(StoredValue.double) }
    }
    static func real(_ name: String, _ value: @escaping @Sendable (Source) -> Double?) -> Self {
        Self(name: name, kind: .real) { value($0).map { .real(Float($0)) } }
    }
    static func boolean(_ name: String, _ value: @escaping @Sendable (Source) -> Bool?) -> Self {
        Self(name: name, kind: .boolean) { value($0).map(StoredValue.boolean) }
    }
    static func text(_ name: String, _ value: @escaping @Sendable (Source) -> String?) -> Self {
        Self(name: name, kind: .text) { value($0).map(StoredValue.text) }
    }
    static func codes(_ name: String, _ value: @escaping @Sendable (Source) -> [String]) -> Self {
        Self(name: name, kind: .codes) { .text(value($0).joined(separator: ",")) }
    }
}

/// A row of `location_history`, derived from its verdict.
struct LocationRow: Equatable {
    static let columns: [StoredColumn<VerdictRecord>] = [
        .time("received_at") { $0.receivedAt }, .time("fixed_at") { $0.fixedAt }, .time("device_at") { $0.deviceAt },
        .integer("sequence") { $0.sequence }, .text("verdict") { "\($0.verdict.code)" },
        .text("confidence") { $0.estimate.map { "\($0.confidence.code)" } },
        .double("latitude") { $0.estimate?.coordinate.latitude },
        .double("longitude") { $0.estimate?.coordinate.longitude },
        .double("raw_latitude") { $0.raw.coordinate.latitude },
        .double("raw_longitude") { $0.raw.coordinate.longitude },
        .real("heading") { $0.estimate?.headingDegrees }, .real("speed_mps") { $0.estimate?.speedMetersPerSecond },
        .real("accuracy_meters") { $0.estimate?.accuracyMeters }, .real("raw_heading") { $0.raw.headingDegrees },
        .real("raw_speed_mps") { $0.raw.speedMetersPerSecond }, .real("raw_accuracy_meters") { $0.raw.accuracyMeters },
        .real("risk") { $0.risk }, .boolean("is_halted") { $0.estimate?.isHalted },
        .text("driver_id") { stored($0.driverID) ?? "" }, .text("trip_id") { stored($0.tripID) },
        .text("session_id") { stored($0.sessionID) }, .codes("reasons") { $0.reasons.codes },
        .real("raw_altitude_meters") { $0.raw.altitudeMeters },
        .real("raw_altitude_accuracy_meters") { $0.report.altitudeAccuracyMeters },
        .real("raw_heading_accuracy_degrees") { $0.report.headingAccuracyDegrees },
        .real("raw_speed_accuracy_mps") { $0.report.speedAccuracyMetersPerSecond },
        .integer("battery_percent") { $0.batteryPercent.map { Int64($0) } },
        .boolean("is_charging") { $0.report.isCharging },
        .text("network_type") { $0.report.networkType.map { "\($0.code)" } },
        .text("motion_activity") { $0.report.motionActivity.map { "\($0.code)" } },
        .text("source") { $0.raw.source.map { "\($0.code)" } }, .boolean("is_mock") { $0.report.isMock },
        .text("integrity") { $0.raw.integrity.map { "\($0.code)" } },
        .codes("risk_signals") { record in
            Signals.all.filter { record.riskSignals.contains($0.value) }.map { "\($0.code)" }
        },
    ]
    private static let indices = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.name, $0) })

    /// The values in the order of ``columns``.
    var values: [StoredValue?]

    init(_ record: VerdictRecord) { values = Self.columns.map { $0.value(record) } }

    subscript(column: String) -> StoredValue? {
        get { Self.indices[column].flatMap { values[$0] } }
        set { if let index = Self.indices[column] { values[index] = newValue } }
    }

    /// Returns the text of a column; empty if null.
    func text(_ column: String) -> String { self[column].map { "\($0)" } ?? "" }

    func double(_ column: String) -> Double? {
        if case .double(let value)? = self[column] { value } else { nil }
    }

    /// The receipt time in epoch milliseconds.
    var receivedAt: Int64 {
        if case .integer(let value)? = self["received_at"] { value } else { 0 }
    }

    var hasPosition: Bool { self["latitude"] != nil }

    /// Returns a text as Postgres stores it: without NUL, and null if empty.
    private static func stored(_ text: ByteSlice) -> String? {
        text.isEmpty ? nil : String(String.UnicodeScalarView(text.string.unicodeScalars.filter { $0.value != 0 }))
    }
}

extension Reasons {
    /// The codes of the reasons, in the order of ``all``.
    var codes: [String] { Self.all.filter { contains($0.value) }.map { "\($0.code)" } }
}
