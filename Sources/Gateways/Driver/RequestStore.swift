import Codec
import Redis
import Runtime
import Support

/// Keeps in Redis what the trip service says of trips that have no driver, for rider-gateway to answer with.
struct RequestStore: Sendable {
    /// What became of the events of a request.
    enum Outcome: Sendable {
        case kept
        /// Nothing is kept: these events cancel trips that have a driver, by their places in the batch.
        case cancelled(havingDrivers: [Int])
    }

    /// As long as position-worker keeps a trip after its last update: a request that outlived its trip would be told as
    /// if the trip had never had a driver.
    static let lifetime = Duration.seconds(24 * 3600)
    /// How often a write is tried that other gateways write the same trips between.
    private static let attempts = 5

    let desk: RedisExecutor
    /// What comes before the keys of Redis.
    let keyPrefix: String

    /// Keeps all events or none, and has `take` told on the desk's thread.
    func keep(
        _ events: [TripRequest], _ take: @escaping @Sendable (Result<Outcome, StoreUnavailable>) -> Void
    ) {
        desk.ask({ [keyPrefix] in try Self.keep(events, keyPrefix, over: $0) }, take)
    }

    /// - Throws: ``RedisError`` where Redis is away, or does not take them.
    private static func keep(
        _ events: [TripRequest], _ prefix: String, over connection: RedisConnection
    ) throws -> Outcome {
        let trips = Array(Set(events.map(\.tripID)))
        for _ in 0..<attempts {
            var batch = try read(trips, prefix, over: connection)
            let refused = events.filter { !batch.take($0, at: Timestamp(milliseconds: WallClock.milliseconds())) }
            guard refused.isEmpty else {
                try connection.call("UNWATCH")
                return .cancelled(havingDrivers: refused.map(\.place))
            }
            if try write(batch, prefix, over: connection) { return .kept }
        }
        throw RedisError(.unavailable, "The requests of trips are written by others at the same time, again and again.")
    }

    /// What Redis has of the trips; their requests are watched until the write.
    private static func read(
        _ trips: [String], _ prefix: String, over connection: RedisConnection
    ) throws -> RequestBatch {
        var commands = RedisCommands(capacity: 4096)
        commands.begin("WATCH", arguments: trips.count)
        for trip in trips { commands.add(StoredRequest.key(prefix: prefix, trip: trip)) }
        for trip in trips {
            commands.begin("HGETALL", arguments: 1)
            commands.add(StoredRequest.key(prefix: prefix, trip: trip))
            commands.begin("EXISTS", arguments: 1)
            commands.add("\(prefix)\(ChannelName(.trip, trip))")
        }
        try connection.send(&commands)
        _ = try connection.receive()
        var batch = RequestBatch()
        for trip in trips {
            let texts = try connection.receive().elements.map { $0.text ?? "" }
            let pairs = stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
            let held = StoredRequest(fields: Dictionary(pairs) { $1 })
            batch.know(trip, held, hasDriver: try connection.receive().integer == 1)
        }
        return batch
    }

    /// - Returns: `false` where another gateway has written one of the requests meanwhile.
    private static func write(
        _ batch: RequestBatch, _ prefix: String, over connection: RedisConnection
    ) throws -> Bool {
        var commands = RedisCommands(capacity: 4096)
        var count = 0
        commands.begin("MULTI", arguments: 0)
        for (trip, request) in batch.writes {
            let (key, fields) = (StoredRequest.key(prefix: prefix, trip: trip), request.fields)
            commands.begin("HSET", arguments: 1 + 2 * fields.count)
            commands.add(key)
            for (name, value) in fields {
                commands.add(name)
                commands.add(value)
            }
            count += 1
        }
        for trip in batch.renewals {
            commands.begin("PEXPIRE", arguments: 2)
            commands.add(StoredRequest.key(prefix: prefix, trip: trip))
            commands.add(lifetime.wholeMilliseconds)
            count += 1
        }
        for cancellation in batch.cancellations {
            add(cancellation, prefix, to: &commands)
            count += 1
        }
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        switch try connection.receiveTransaction(commands: count) {
        case .conflict: return false
        case .executed(let failures):
            if let failure = failures.first { throw failure }
            return true
        }
    }

    /// Adds the command that passes the end of a request to push-worker.
    private static func add(_ cancellation: RequestCancellation, _ prefix: String, to commands: inout RedisCommands) {
        let fields = cancellation.fields
        commands.begin("XADD", arguments: 5 + 2 * fields.count)
        commands.add(RequestCancellation.key(prefix: prefix))
        commands.add("MAXLEN")
        commands.add("~")
        commands.add(Int64(RequestCancellation.streamLength))
        commands.add("*")
        for (name, value) in fields {
            commands.add(name)
            commands.add(value)
        }
    }
}
