import Redis

/// A driver as operators see one: the fields of `driver:{id}` that the map shows.
struct FleetDriver: Equatable, Sendable {
    /// The hash's fields that are read, in the order of the answer.
    static let fields: [StaticString] = [
        "lat", "lon", "heading", "speed_mps", "fixed_at", "trip_id", "risk", "is_flagged", "is_suspect",
        "risk_signals",
    ]

    let id: String
    /// As Redis has them; empty for what is not known.
    private let values: [String]

    /// `nil` where the driver has no position.
    init?(id: String, _ reply: RedisReply) {
        let values = reply.elements.map { $0.text ?? "" }
        guard values.count == Self.fields.count, !values[0].isEmpty, !values[1].isEmpty else { return nil }
        self.id = id
        self.values = values
    }

    /// The driver as a JSON object.
    var json: [UInt8] {
        var writer = MessageWriter()
        writer.text("driver_id", id)
        for (index, name) in Self.fields.enumerated() {
            let value = values[index]
            switch "\(name)" {
            case "trip_id": writer.text(name, value.isEmpty ? nil : value)
            case "is_flagged", "is_suspect": writer.flag(name, value == "1")
            case "risk_signals": writer.texts("signals", value.split(separator: ",").map(String.init))
            default: writer.json(name, Array(value.utf8))
            }
        }
        return Array(writer.finished.utf8)
    }
}
