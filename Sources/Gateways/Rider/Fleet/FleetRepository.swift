import Redis

/// Reads all drivers from Redis.
struct FleetRepository {
    /// Members of one round trip.
    private static let batchSize = 1000
    private static let pointFields: [StaticString] = ["lat", "lon", "fixed_at", "heading", "speed_mps"]

    let keyPrefix: String

    /// The ids of all drivers that Redis has, also of those whom nearest-driver searches leave out.
    func ids(over connection: RedisConnection) throws -> Set<String> {
        var ids: Set<String> = []
        let start = "\(keyPrefix)driver:"
        try connection.scan(prefix: keyPrefix, "driver:*") { keys in
            // `driver:{id}:trail` is the list of a driver's points.
            for key in keys where !key.hasSuffix(":trail") { ids.insert(String(key.dropFirst(start.count))) }
        }
        return ids
    }

    /// A driver's last points as JSON, the newest first.
    func trail(of id: String, over connection: RedisConnection) throws(RedisError) -> [[UInt8]] {
        try connection.call("LRANGE", "\(keyPrefix)driver:\(id):trail", "0", "-1").elements.compactMap { reply in
            // lat,lon,fixed_at,heading,speed_mps
            let values = (reply.text ?? "").split(separator: ",", omittingEmptySubsequences: false)
            guard values.count == 5 else { return nil }
            var writer = MessageWriter()
            for (name, value) in zip(Self.pointFields, values) { writer.json(name, Array(value.utf8)) }
            return Array(writer.finished.utf8)
        }
    }

    /// The drivers of `ids` that have a position.
    func drivers(_ ids: some Collection<String>, over connection: RedisConnection) throws(RedisError) -> [String:
        FleetDriver]
    {
        var found: [String: FleetDriver] = [:]
        var commands = RedisCommands()
        var rest = Array(ids)[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batchSize)
            rest = rest.dropFirst(batch.count)
            for id in batch {
                commands.begin("HMGET", arguments: 1 + FleetDriver.fields.count)
                commands.add("\(keyPrefix)driver:\(id)")
                for field in FleetDriver.fields { commands.add(field) }
            }
            try connection.send(&commands)
            for id in batch { found[id] = FleetDriver(id: id, try connection.receive()) }
        }
        return found
    }
}
