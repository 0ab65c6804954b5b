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
    /// A driver whom this excludes from the geo sets stays excluded until the next position.
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

    /// Whether Redis stores the driver; the hash of a driver `x:trail` would have the key of the trail of `x`.
    static func isStored(driver: String) -> Bool { !driver.isEmpty && !driver.hasSuffix(":trail") }

    /// Describes the first difference in the position fields of a driver's hash; `nil` if they are equal.
    func difference(from found: [String?]) -> String? {
        let wanted = [
            event.description, row.text("latitude"), row.text("longitude"), row.text("fixed_at"),
            row.text("received_at"), row.text("trip_id"), row["is_halted"] == .boolean(true) ? "1" : "0",
            row.text("confidence"),
        ]
        return Self.difference(wanted, found, from: 0) { index, found, wanted in
            guard index == 1 || index == 2 else { return index == 0 || found == wanted }
            guard let number = found.flatMap({ Double($0) }), let value = Double(wanted) else { return false }
            // Redis stores six decimals.
            return abs(number - value) <= 0.000_000_6
        }
    }

    /// Describes the first difference in the risk fields; `nil` if they are equal.
    ///
    /// Earlier versions did not write suspects and signals.
    func riskDifference(from found: [String?], _ nearest: NearestDrivers) -> String? {
        let place = Coordinate(latitude: row.double("latitude") ?? 0, longitude: row.double("longitude") ?? 0)
        let isExcluded = nearest.excludes(isFlagged: wasFlagged, isSuspect: wasSuspect)
        let wanted = [
            "\(Double(risk.thousandths) / 1000)", risk.isFlagged ? "1" : "0", risk.event.description,
            isExcluded ? "" : "\(GeoArea(place))", risk.isSuspect ? "1" : "0", risk.signals,
        ]
        return Self.difference(wanted, found, from: Self.positionFieldCount) { index, found, wanted in
            switch index {
            case 0: found.flatMap { Double($0) }.map { ($0 * 1000).rounded() } == Double(risk.thousandths)
            case 4, 5: found ?? wanted == wanted
            default: found == wanted
            }
        }
    }

    /// Describes the first field whose value in Redis differs; `start` is the index of the first field.
    private static func difference(
        _ wanted: [String], _ found: [String?], from start: Int, agrees: (Int, String?, String) -> Bool
    ) -> String? {
        guard let wrong = wanted.indices.first(where: { !agrees($0, found[start + $0], wanted[$0]) }) else {
            return nil
        }
        return "\(fields[start + wrong]) is \(found[start + wrong] ?? "absent"), expected \(wanted[wrong])"
    }
}
