import Lanes

/// What Redis should say of a driver.
struct ExpectedPosition {
    var event: EventID
    /// The verdict's offset on its topic.
    var offset: Int64
    var row: LocationRow

    /// The fields read of a driver's hash, in the order of ``difference(from:)``.
    static let fields = ["event_id", "lat", "lon", "fixed_at", "received_at", "trip_id", "is_halted", "confidence"]

    init(_ row: LocationRow, event: EventID, offset: Int64) {
        self.event = event
        self.offset = offset
        self.row = row
    }

    /// Whether a driver of this name has keys; see `driver:{id}:trail`.
    static func isKept(driver: String) -> Bool { !driver.isEmpty && !driver.hasSuffix(":trail") }

    /// What differs in the fields of a driver's hash, after the event, in words; `nil` when nothing does.
    func difference(from found: [String?]) -> String? {
        func isNear(_ text: String?, _ value: Double?) -> Bool {
            guard let number = text.flatMap({ Double($0) }), let value else { return false }
            // Six places are kept.
            return abs(number - value) <= 0.000_000_6
        }
        let agrees: [Bool] = [
            true, isNear(found[1], row.latitude), isNear(found[2], row.longitude),
            found[3] == String(row.fixedAt), found[4] == String(row.receivedAt), found[5] == row.tripID ?? "",
            found[6] == (row.isHalted == true ? "1" : "0"), found[7] == row.confidence ?? "",
        ]
        guard let wrong = agrees.firstIndex(of: false) else { return nil }
        let wanted: [String] = [
            event.description, "\(row.latitude ?? 0)", "\(row.longitude ?? 0)", "\(row.fixedAt)", "\(row.receivedAt)",
            row.tripID ?? "", row.isHalted == true ? "1" : "0", row.confidence ?? "",
        ]
        return "\(Self.fields[wrong]) is \(found[wrong] ?? "absent"), expected \(wanted[wrong])"
    }
}
