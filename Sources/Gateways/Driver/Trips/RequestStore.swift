import Codec
import Redis
import Runtime
import Support

/// Store of trips without a driver in Redis, for rider-gateway.
struct RequestStore: Sendable {
    enum Outcome: Sendable {
        case stored
        /// Nothing was stored, because the events with these indices cancel trips that have a driver.
        case cancelled(havingDrivers: [Int])
    }

    /// Lifetime of a stored request, as of the trips that position-worker writes.
    ///
    /// If the request outlived the trip, rider-gateway would return the trip as one without a driver.
    static let lifetime = Duration.seconds(24 * 3600)
    private static let attempts = 5

    let executor: RedisExecutor
    let keyPrefix: String

    /// Stores all events or none; calls `completion` on the executor's thread.
    func store(
        _ events: [TripRequest], _ completion: @escaping @Sendable (Result<Outcome, StoreUnavailable>) -> Void
    ) {
        executor.perform({ [keyPrefix] in try Self.store(events, keyPrefix, over: $0) }, completion)
    }

    /// - Throws: ``RedisError`` if Redis is unavailable or rejects the commands.
    private static func store(
        _ events: [TripRequest], _ prefix: String, over connection: RedisConnection
    ) throws -> Outcome {
        let trips = Array(Set(events.map(\.tripID)))
        for _ in 0..<attempts {
            var batch = try read(trips, prefix, over: connection)
            let refused = events.filter { !batch.apply($0, at: Timestamp(milliseconds: WallClock.milliseconds())) }
            guard refused.isEmpty else {
                try connection.call("UNWATCH")
                return .cancelled(havingDrivers: refused.map(\.index))
            }
            if try write(batch, prefix, over: connection) { return .stored }
        }
        throw RedisError(.unavailable, "Other gateways keep writing the same requests.")
    }

    /// Reads the state of the trips; Redis watches their requests until the transaction of the write.
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
            let stored = StoredRequest(fields: Dictionary(pairs) { $1 })
            batch.load(trip, stored, hasDriver: try connection.receive().integer == 1)
        }
        return batch
    }

    /// - Returns: `false` if another gateway has written one of the requests.
    private static func write(
        _ batch: RequestBatch, _ prefix: String, over connection: RedisConnection
    ) throws -> Bool {
        var commands = RedisCommands(capacity: 4096)
        commands.begin("MULTI", arguments: 0)
        for (trip, request) in batch.writes {
            let (key, fields) = (StoredRequest.key(prefix: prefix, trip: trip), request.fields)
            commands.begin("HSET", arguments: 1 + 2 * fields.count)
            commands.add(key)
            for (name, value) in fields {
                commands.add(name)
                commands.add(value)
            }
        }
        for trip in batch.renewals {
            commands.begin("PEXPIRE", arguments: 2)
            commands.add(StoredRequest.key(prefix: prefix, trip: trip))
            commands.add(lifetime.wholeMilliseconds)
        }
        for cancellation in batch.cancellations { add(cancellation, prefix, to: &commands) }
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        let count = batch.writes.count + batch.renewals.count + batch.cancellations.count
        switch try connection.receiveTransaction(commands: count) {
        case .conflict: return false
        case .executed(let failures):
            if let failure = failures.first { throw failure }
            return true
        }
    }

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
