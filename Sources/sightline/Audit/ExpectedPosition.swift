import Domain
import PositionWorker

/// The expected data of a driver in Redis: last position, risk and flag.
struct ExpectedPosition {
    /// The risk of a driver according to a verdict.
    struct Risk {
        var event: EventID
        /// The verdict's offset on its topic.
        var offset: Int64
        var thousandths: Int
        var isFlagged: Bool
        var isSuspect: Bool
        /// Codes of the risk signals, separated by commas.
        var signals: String

        init(_ row: LocationRow, event: EventID, offset: Int64) {
            self.event = event
            self.offset = offset
            thousandths = Int((Double(row.risk) * 1000).rounded())
            isFlagged = row.reasons.split(separator: ",").contains("FLAGGED")
            isSuspect = row.reasons.split(separator: ",").contains("SUSPECT")
            signals = row.riskSignals
        }
    }

    var event: EventID
    /// The verdict's offset on its topic.
    var offset: Int64
    var row: LocationRow
    /// From the verdict of the position, or a later one that changed the flag or suspicion.
    private(set) var risk: Risk
    /// Whether the driver was flagged, or a suspect, since the position; an excluded driver is in no area until the next
    /// position.
    private(set) var wasFlagged: Bool
    private(set) var wasSuspect: Bool

    /// The fields of a driver's hash that are read, in the order of ``difference(from:)`` and ``riskDifference(from:)``.
    static let fields = [
        "event_id", "lat", "lon", "fixed_at", "received_at", "trip_id", "is_halted", "confidence", "risk", "is_flagged",
        "risk_event_id", "area", "is_suspect", "risk_signals",
    ]
    /// The index of `risk_event_id` in ``fields``.
    static let riskEventField = 10
    private static let positionFieldCount = 8

    init(_ row: LocationRow, event: EventID, offset: Int64) {
        self.event = event
        self.offset = offset
        self.row = row
        risk = Risk(row, event: event, offset: offset)
        wasFlagged = risk.isFlagged
        wasSuspect = risk.isSuspect
    }

    /// Applies a later verdict without a position.
    mutating func apply(_ later: Risk) {
        guard later.isFlagged != risk.isFlagged || later.isSuspect != risk.isSuspect else { return }
        risk = later
        wasFlagged = wasFlagged || later.isFlagged
        wasSuspect = wasSuspect || later.isSuspect
    }

    /// Whether a driver with this id has keys; see `driver:{id}:trail`.
    static func isStored(driver: String) -> Bool { !driver.isEmpty && !driver.hasSuffix(":trail") }

    /// Describes the first difference in the position fields of a driver's hash; `nil` if they are equal.
    func difference(from found: [String?]) -> String? {
        func isNear(_ text: String?, _ value: Double?) -> Bool {
            guard let number = text.flatMap({ Double($0) }), let value else { return false }
            // Redis has six decimals.
            return abs(number - value) <= 0.000_000_6
        }
        let agrees: [Bool] = [
            true, isNear(found[1], row.latitude), isNear(found[2], row.longitude),
            found[3] == String(row.fixedAt), found[4] == String(row.receivedAt), found[5] == row.tripID ?? "",
            found[6] == (row.isHalted == true ? "1" : "0"), found[7] == row.confidence ?? "",
        ]
        let wanted: [String] = [
            event.description, "\(row.latitude ?? 0)", "\(row.longitude ?? 0)", "\(row.fixedAt)", "\(row.receivedAt)",
            row.tripID ?? "", row.isHalted == true ? "1" : "0", row.confidence ?? "",
        ]
        return Self.difference(agrees, wanted, found, from: 0)
    }

    /// Describes the first difference in the risk fields; `nil` if they are equal.
    ///
    /// Earlier versions did not write suspects and signals.
    func riskDifference(from found: [String?], _ nearest: NearestDrivers) -> String? {
        let fields = found[Self.positionFieldCount...]
        let start = fields.startIndex
        let place = Coordinate(latitude: row.latitude ?? 0, longitude: row.longitude ?? 0)
        let isLeftOut = nearest.excludes(isFlagged: wasFlagged, isSuspect: wasSuspect)
        let area = isLeftOut ? "" : "\(GeoArea(place))"
        let (flag, suspect) = (risk.isFlagged ? "1" : "0", risk.isSuspect ? "1" : "0")
        let thousandths = fields[start].flatMap { Double($0) }.map { Int(($0 * 1000).rounded()) }
        return Self.difference(
            [
                thousandths == risk.thousandths, fields[start + 1] == flag,
                fields[start + 2] == risk.event.description, fields[start + 3] == area,
                fields[start + 4] ?? suspect == suspect, fields[start + 5] ?? risk.signals == risk.signals,
            ],
            ["\(Double(risk.thousandths) / 1000)", flag, risk.event.description, area, suspect, risk.signals], found,
            from: Self.positionFieldCount)
    }

    private static func difference(
        _ agrees: [Bool], _ wanted: [String], _ found: [String?], from start: Int
    ) -> String? {
        guard let wrong = agrees.firstIndex(of: false) else { return nil }
        return "\(fields[start + wrong]) is \(found[start + wrong] ?? "absent"), expected \(wanted[wrong])"
    }
}
