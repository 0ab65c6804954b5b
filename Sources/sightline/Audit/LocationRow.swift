import Codec
import Domain
import Postgres
import Support

/// A row of `location_history`, read or derived from its verdict.
struct LocationRow: Equatable {
    var receivedAt: Int64
    var fixedAt: Int64
    var deviceAt: Int64?
    var sequence: Int64?
    var verdict: String
    var confidence: String?
    var latitude: Double?
    var longitude: Double?
    var rawLatitude: Double
    var rawLongitude: Double
    var heading: Float?
    var speed: Float?
    var accuracy: Float?
    var rawHeading: Float?
    var rawSpeed: Float?
    var rawAccuracy: Float?
    var risk: Float
    var isHalted: Bool?
    var driverID: String
    var tripID: String?
    var sessionID: String?
    var reasons: String
    var rawAltitude: Float?
    var rawAltitudeAccuracy: Float?
    var rawHeadingAccuracy: Float?
    var rawSpeedAccuracy: Float?
    var battery: Int64?
    var isCharging: Bool?
    var networkType: String?
    var motionActivity: String?
    var source: String?
    var isMock: Bool?
    var integrity: String?
    var riskSignals: String

    /// Derives the row from a verdict.
    init(_ record: borrowing VerdictRecord) {
        receivedAt = record.receivedAt.milliseconds
        fixedAt = record.fixedAt.milliseconds
        deviceAt = record.deviceAt?.milliseconds
        sequence = record.sequence
        verdict = "\(record.verdict.code)"
        confidence = record.estimate.map { "\($0.confidence.code)" }
        latitude = record.estimate?.coordinate.latitude
        longitude = record.estimate?.coordinate.longitude
        rawLatitude = record.raw.coordinate.latitude
        rawLongitude = record.raw.coordinate.longitude
        heading = record.estimate?.headingDegrees.map { Float($0) }
        speed = record.estimate.map { Float($0.speedMetersPerSecond) }
        accuracy = record.estimate.map { Float($0.accuracyMeters) }
        rawHeading = record.raw.headingDegrees.map { Float($0) }
        rawSpeed = record.raw.speedMetersPerSecond.map { Float($0) }
        rawAccuracy = record.raw.accuracyMeters.map { Float($0) }
        risk = Float(record.risk)
        isHalted = record.estimate?.isHalted
        driverID = Self.stored(record.driverID) ?? ""
        tripID = Self.stored(record.tripID)
        sessionID = Self.stored(record.sessionID)
        let reasons = record.reasons
        self.reasons = Reasons.all.filter { reasons.contains($0.value) }.map { "\($0.code)" }.joined(separator: ",")
        rawAltitude = record.raw.altitudeMeters.map { Float($0) }
        rawAltitudeAccuracy = record.report.altitudeAccuracyMeters.map { Float($0) }
        rawHeadingAccuracy = record.report.headingAccuracyDegrees.map { Float($0) }
        rawSpeedAccuracy = record.report.speedAccuracyMetersPerSecond.map { Float($0) }
        battery = record.batteryPercent.map { Int64($0) }
        isCharging = record.report.isCharging
        networkType = record.report.networkType.map { "\($0.code)" }
        motionActivity = record.report.motionActivity.map { "\($0.code)" }
        source = record.raw.source.map { "\($0.code)" }
        isMock = record.report.isMock
        integrity = record.raw.integrity.map { "\($0.code)" }
        let signals = record.riskSignals
        riskSignals = Signals.all.filter { signals.contains($0.value) }.map { "\($0.code)" }.joined(separator: ",")
    }

    /// The columns in the order of ``init(_:at:)``.
    static let columns = """
        (extract(epoch FROM received_at) * 1000)::bigint, (extract(epoch FROM fixed_at) * 1000)::bigint,
        (extract(epoch FROM device_at) * 1000)::bigint, sequence, verdict, confidence, latitude, longitude,
        raw_latitude, raw_longitude, heading, speed_mps, accuracy_meters, raw_heading, raw_speed_mps,
        raw_accuracy_meters, risk, is_halted, driver_id, trip_id, session_id, array_to_string(reasons, ','),
        raw_altitude_meters, raw_altitude_accuracy_meters, raw_heading_accuracy_degrees, raw_speed_accuracy_mps,
        battery_percent, is_charging, network_type, motion_activity, source, is_mock, integrity,
        array_to_string(risk_signals, ',')
        """

    /// Reads ``columns``, the first of them at `start`.
    init(_ row: PostgresRow, at start: Int) throws {
        func number(_ column: Int) -> Double? { row.string(start + column).flatMap { Double($0) } }
        func truth(_ column: Int) throws -> Bool? {
            row.isNull(start + column) ? nil : try row.boolean(start + column)
        }
        func real(_ column: Int) -> Float? { row.string(start + column).flatMap { Float($0) } }
        receivedAt = try row.integer(start)
        fixedAt = try row.integer(start + 1)
        deviceAt = row.string(start + 2).flatMap { Int64($0) }
        sequence = row.string(start + 3).flatMap { Int64($0) }
        verdict = try row.text(start + 4)
        confidence = row.string(start + 5)
        latitude = number(6)
        longitude = number(7)
        rawLatitude = try row.double(start + 8)
        rawLongitude = try row.double(start + 9)
        heading = real(10)
        speed = real(11)
        accuracy = real(12)
        rawHeading = real(13)
        rawSpeed = real(14)
        rawAccuracy = real(15)
        risk = Float(try row.double(start + 16))
        isHalted = try truth(17)
        driverID = try row.text(start + 18)
        tripID = row.string(start + 19)
        sessionID = row.string(start + 20)
        reasons = row.string(start + 21) ?? ""
        rawAltitude = real(22)
        rawAltitudeAccuracy = real(23)
        rawHeadingAccuracy = real(24)
        rawSpeedAccuracy = real(25)
        battery = row.string(start + 26).flatMap { Int64($0) }
        isCharging = try truth(27)
        networkType = row.string(start + 28)
        motionActivity = row.string(start + 29)
        source = row.string(start + 30)
        isMock = try truth(31)
        integrity = row.string(start + 32)
        riskSignals = row.string(start + 33) ?? ""
    }

    /// Describes the differing columns; `nil` if the rows are equal.
    static func difference(_ expected: LocationRow, _ found: LocationRow) -> String? {
        guard expected != found else { return nil }
        let pairs = zip(Mirror(reflecting: expected).children, Mirror(reflecting: found).children)
        let list = pairs.compactMap { want, have -> String? in
            let (wanted, had) = (text(want.value), text(have.value))
            return wanted == had ? nil : "\(want.label ?? "") is \(had), expected \(wanted)"
        }
        return list.joined(separator: "; ")
    }

    private static func text(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return "\(value)" }
        return mirror.children.first.map { "\($0.value)" } ?? "null"
    }

    /// Returns a text as Postgres stores it: without NUL, and null if empty.
    private static func stored(_ text: ByteSlice) -> String? {
        text.isEmpty ? nil : String(String.UnicodeScalarView(text.string.unicodeScalars.filter { $0.value != 0 }))
    }
}
