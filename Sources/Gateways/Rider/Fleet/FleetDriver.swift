import Redis

/// A driver's state for operators: the fields of the hash `driver:{id}` that the live map shows.
struct FleetDriver: Equatable, Sendable {
    /// The fields to read, in the order of the reply.
    static let fields: [StaticString] = [
        "lat", "lon", "heading", "speed_mps", "fixed_at", "trip_id", "risk", "is_flagged", "is_suspect",
        "risk_signals",
    ]

    let id: String
    /// In the order of ``fields``; empty if absent.
    private let values: [String]

    /// `nil` if the driver has no position.
    init?(id: String, _ reply: RedisReply) {
        let values = reply.elements.map { $0.text ?? "" }
        guard values.count == Self.fields.count, !values[0].isEmpty, !values[1].isEmpty else { return nil }
        self.id = id
        self.values = values
    }

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
