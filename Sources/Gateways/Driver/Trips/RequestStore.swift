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

    /// Lifetime of a stored request, equal to that of the trips that position-worker writes.
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
        commands.add(command: "WATCH", trips.map { StoredRequest.key(prefix: prefix, trip: $0) })
        for trip in trips {
            commands.add(command: "HGETALL", [StoredRequest.key(prefix: prefix, trip: trip)])
            commands.add(command: "EXISTS", ["\(prefix)\(ChannelName(.trip, trip))"])
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
        commands.add(command: "MULTI")
        for (trip, request) in batch.writes {
            let key = StoredRequest.key(prefix: prefix, trip: trip)
            commands.add(command: "HSET", [key] + arguments(request.fields))
        }
        for trip in batch.renewals {
            let key = StoredRequest.key(prefix: prefix, trip: trip)
            commands.add(command: "PEXPIRE", [key, "\(lifetime.wholeMilliseconds)"])
        }
        for cancellation in batch.cancellations {
            let limit = ["MAXLEN", "~", "\(RequestCancellation.streamLength)", "*"]
            commands.add(
                command: "XADD",
                [RequestCancellation.key(prefix: prefix)] + limit + arguments(cancellation.fields))
        }
        commands.add(command: "EXEC")
        try connection.send(&commands)
        let count = batch.writes.count + batch.renewals.count + batch.cancellations.count
        switch try connection.receiveTransaction(commands: count) {
        case .conflict: return false
        case .executed(let failures):
            if let failure = failures.first { throw failure }
            return true
        }
    }

    private static func arguments(_ fields: [(name: StaticString, value: String)]) -> [String] {
        fields.flatMap { ["\($0.name)", $0.value] }
    }
}
