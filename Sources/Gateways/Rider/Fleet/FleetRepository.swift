import Redis

/// Reader of drivers' state in Redis.
struct FleetRepository {
    private static let batchSize = 1000
    /// Names of the comma-separated values of a trail entry.
    private static let pointFields: [StaticString] = ["lat", "lon", "fixed_at", "heading", "speed_mps"]

    let keyPrefix: String

    /// Returns the ids of all stored drivers, including those excluded from nearest-driver searches.
    func ids(over connection: RedisConnection) throws -> Set<String> {
        var ids: Set<String> = []
        let start = "\(keyPrefix)driver:"
        try connection.scan(prefix: keyPrefix, "driver:*") { keys in
            // Skip `driver:{id}:trail`, the list of a driver's recent points.
            for key in keys where !key.hasSuffix(":trail") { ids.insert(String(key.dropFirst(start.count))) }
        }
        return ids
    }

    /// Returns a driver's recent points as JSON objects, newest first.
    func trail(of id: String, over connection: RedisConnection) throws(RedisError) -> [[UInt8]] {
        try connection.call("LRANGE", "\(keyPrefix)driver:\(id):trail", "0", "-1").elements.compactMap { reply in
            let values = (reply.text ?? "").split(separator: ",", omittingEmptySubsequences: false)
            guard values.count == Self.pointFields.count else { return nil }
            var writer = MessageWriter()
            for (name, value) in zip(Self.pointFields, values) { writer.json(name, Array(value.utf8)) }
            return Array(writer.finished.utf8)
        }
    }

    /// Returns the drivers among `ids` that have a position.
    func drivers(_ ids: some Collection<String>, over connection: RedisConnection) throws(RedisError) -> [String:
        FleetDriver]
    {
        var drivers: [String: FleetDriver] = [:]
        var commands = RedisCommands()
        var remaining = Array(ids)[...]
        while !remaining.isEmpty {
            let batch = remaining.prefix(Self.batchSize)
            remaining = remaining.dropFirst(batch.count)
            for id in batch {
                commands.begin("HMGET", arguments: 1 + FleetDriver.fields.count)
                commands.add("\(keyPrefix)driver:\(id)")
                for field in FleetDriver.fields { commands.add(field) }
            }
            try connection.send(&commands)
            for id in batch { drivers[id] = FleetDriver(id: id, try connection.receive()) }
        }
        return drivers
    }
}

/// A driver's state for operators: the fields of the hash `driver:{id}` that the live map shows.
struct FleetDriver: Equatable, Sendable {
    /// The fields to read, in the order of the reply.
    static let fields: [StaticString] = [
        "lat", "lon", "heading", "speed_mps", "fixed_at", "trip_id", "risk", "is_flagged", "is_suspect",
        "risk_signals",
    ]

    let id: String
    /// Values in the order of ``fields``; an absent value is empty.
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
