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
            thousandths = Int(((Double(row.text("risk")) ?? 0) * 1000).rounded())
            let reasons = row.text("reasons").split(separator: ",")
            isFlagged = reasons.contains("FLAGGED")
            isSuspect = reasons.contains("SUSPECT")
            signals = row.text("risk_signals")
        }
    }

    var event: EventID
    /// The verdict's offset on its topic.
    var offset: Int64
    var row: LocationRow
    /// Risk in the verdict of the position, or in a later verdict that changed flag or suspicion.
    private(set) var risk: Risk
    /// Whether the driver was flagged at any time since the position.
    ///
    /// A driver whom a flag excludes from the geo sets stays excluded until the next position.
    private(set) var wasFlagged: Bool
    /// Whether the driver was a suspect at any time since the position.
    private(set) var wasSuspect: Bool

    /// The fields of a driver's hash that are read: those of the position, then those of the risk.
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

    /// Returns whether Redis stores the driver; the hash of a driver `x:trail` would have the key of the trail of `x`.
    static func isStored(driver: String) -> Bool { !driver.isEmpty && !driver.hasSuffix(":trail") }

    /// Describes the first difference in the position fields of a driver's hash; `nil` if they are equal.
    func difference(from stored: [String?]) -> String? {
        let expected = [
            event.description, row.text("latitude"), row.text("longitude"), row.text("fixed_at"),
            row.text("received_at"), row.text("trip_id"), row["is_halted"] == .boolean(true) ? "1" : "0",
            row.text("confidence"),
        ]
        return Self.difference(expected, stored, from: 0) { index, stored, expected in
            guard index == 1 || index == 2 else { return index == 0 || stored == expected }
            guard let number = stored.flatMap({ Double($0) }), let value = Double(expected) else { return false }
            // Redis stores six decimals.
            return abs(number - value) <= 0.000_000_6
        }
    }

    /// Describes the first difference in the risk fields; `nil` if they are equal.
    ///
    /// Suspects and signals may be absent, because earlier versions did not write them.
    func riskDifference(from stored: [String?], _ nearest: NearestDrivers) -> String? {
        let coordinate = Coordinate(latitude: row.double("latitude") ?? 0, longitude: row.double("longitude") ?? 0)
        let isExcluded = nearest.excludes(isFlagged: wasFlagged, isSuspect: wasSuspect)
        let expected = [
            "\(Double(risk.thousandths) / 1000)", risk.isFlagged ? "1" : "0", risk.event.description,
            isExcluded ? "" : "\(GeoArea(coordinate))", risk.isSuspect ? "1" : "0", risk.signals,
        ]
        return Self.difference(expected, stored, from: Self.positionFieldCount) { index, stored, expected in
            switch index {
            case 0: stored.flatMap { Double($0) }.map { ($0 * 1000).rounded() } == Double(risk.thousandths)
            case 4, 5: stored ?? expected == expected
            default: stored == expected
            }
        }
    }

    /// Describes the first field whose value in Redis differs; `start` is the index of the first field.
    private static func difference(
        _ expected: [String], _ stored: [String?], from start: Int, agrees: (Int, String?, String) -> Bool
    ) -> String? {
        guard let first = expected.indices.first(where: { !agrees($0, stored[start + $0], expected[$0]) }) else {
            return nil
        }
        return "\(fields[start + first]) is \(stored[start + first] ?? "absent"), expected \(expected[first])"
    }
}
