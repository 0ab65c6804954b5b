import Redis
import Support
import TestSupport
import Testing

@Suite("Redis users of deploy/redis", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct RedisRightsTests {
    /// Creates a user of an example file and calls `body` with the user's address.
    private func withUser(
        _ user: String, file: String = "position-worker.acl", _ body: (RedisFixture, RedisConfiguration) throws -> Void
    ) throws {
        let fixture = try RedisFixture()
        let name = "\(fixture.prefix)\(user)"
        try ExampleACL(file: file, user: user)
            .create(name, prefix: fixture.prefix, password: "hunter2", fixture.redis)
        defer { _ = try? fixture.redis.call("ACL", "DELUSER", name) }
        var configuration = try RedisFixture.address()
        configuration.username = name
        configuration.password = "hunter2"
        try body(fixture, configuration)
    }

    @Test("position-worker may write positions and trips and sweep; other commands are denied")
    func positionWorker() throws {
        try withUser("position-worker") { fixture, address in
            let drivers = PositionRecords(.locations)
            for _ in 0..<3 { drivers.addVerdict(of: "a") }
            drivers.addVerdict(of: "a", latitude: 40)
            let updates = PositionRecords(.riderUpdates)
            updates.addUpdate("trip_state_changed", channel: "trip:t", payload: #"{"state":"COMPLETED"}"#)
            let sink = try fixture.sink { $0.redis = address }
            _ = try sink.nextOffsets(of: [drivers.partition, updates.partition])
            _ = try sink.write([drivers.batch(to: 2), updates.batch()])
            _ = try sink.write([drivers.batch(from: 2)])
            try sink.maintain(now: Timestamp(milliseconds: PositionRecords.start + 3_600_000))
            #expect(try fixture.keys().contains("trip:t:events"))
            #expect(try fixture.members(of: "9r0g").isEmpty, "the sweep removed nothing")
            let connection = try RedisConnection(address)
            let commands: [(StaticString, [String])] = [
                ("FLUSHALL", []), ("KEYS", ["*"]), ("CONFIG", ["GET", "*"]), ("GET", ["\(fixture.prefix)progress:x"]),
                ("DEL", ["\(fixture.prefix)driver:x"]), ("SET", ["other", "1"]), ("EVAL", ["return 1", "0"]),
                ("ACL", ["LIST"]),
            ]
            for (name, arguments) in commands { try expectDenied(of: name, arguments, by: connection) }
        }
    }

    @Test("position-reader may read positions and trips; other commands are denied")
    func positionReader() throws {
        try withUser("position-reader") { fixture, address in
            let connection = try RedisConnection(address)
            try connection.call("HGETALL", "\(fixture.prefix)driver:a")
            try connection.call("XRANGE", "\(fixture.prefix)trip:a:events", "-", "+")
            let commands: [(StaticString, [String])] = [
                ("HSET", ["\(fixture.prefix)driver:a", "lat", "1"]), ("MGET", ["\(fixture.prefix)progress:x"]),
                ("FLUSHALL", []),
            ]
            for (name, arguments) in commands { try expectDenied(of: name, arguments, by: connection) }
        }
    }

    @Test("audit may read positions, routes and progress; other commands are denied")
    func auditUser() throws {
        try withUser("audit", file: "audit.acl") { fixture, address in
            let connection = try RedisConnection(address)
            try connection.call("SCAN", "0", "MATCH", "\(fixture.prefix)driver:*", "COUNT", "10")
            try connection.call("HMGET", "\(fixture.prefix)driver:a", "event_id")
            try connection.call("HMGET", "\(fixture.prefix)route:a", "watermark:0")
            #expect(
                try fixture.sink { $0.redis = address }.nextOffsets(of: [PositionRecords(.locations).partition]).isEmpty
            )
            let commands: [(StaticString, [String])] = [
                ("HSET", ["\(fixture.prefix)driver:a", "lat", "1"]), ("SET", ["\(fixture.prefix)progress:x", "1"]),
                ("DEL", ["\(fixture.prefix)driver:a"]), ("HMGET", ["other", "a"]),
                ("HGETALL", ["\(fixture.prefix)driver:a"]), ("KEYS", ["*"]), ("FLUSHALL", []),
                ("CONFIG", ["GET", "*"]),
            ]
            for (name, arguments) in commands { try expectDenied(of: name, arguments, by: connection) }
        }
    }

    @Test("push-worker may read cancelled requests, read and remove devices, and store progress, but nothing else")
    func pushWorker() throws {
        try withUser("push-worker", file: "push-worker.acl") { fixture, address in
            let connection = try RedisConnection(address)
            let progress = "\(fixture.prefix)progress:push:rider.updates:0"
            let devices = "\(fixture.prefix)devices:T1"
            try connection.call("WATCH", progress)
            try connection.call("MGET", progress)
            try connection.call("TIME")
            try connection.call("HGETALL", devices)
            try connection.call("MULTI")
            try connection.call("SET", progress, "1 - -")
            try connection.call("HDEL", devices, "apns:00")
            try connection.call("PEXPIRE", devices, "1000")
            #expect(try connection.call("EXEC").elements.count == 3)
            try connection.call("UNWATCH")
            let cancelled = "\(fixture.prefix)requests:cancelled"
            try connection.call("XGROUP", "CREATE", cancelled, "push", "0", "MKSTREAM")
            try fixture.redis.call("XADD", cancelled, "1-0", "trip_id", "T1")
            try connection.call("XAUTOCLAIM", cancelled, "push", "a", "20000", "0-0", "COUNT", "100")
            let read = try connection.call(
                "XREADGROUP", "GROUP", "push", "a", "COUNT", "100", "STREAMS", cancelled, ">")
            #expect(read.elements.count == 1)
            #expect(try connection.call("XACK", cancelled, "push", "1-0").integer == 1)
            let commands: [(StaticString, [String])] = [
                ("XADD", [cancelled, "*", "trip_id", "T2"]), ("XGROUP", ["DESTROY", cancelled, "push"]),
                ("DEL", [cancelled]),
                ("HSET", [devices, "apns:00", "de"]), ("HGETALL", ["\(fixture.prefix)trip:a"]),
                ("SET", ["\(fixture.prefix)progress:rider.updates:0", "1 - -"]), ("KEYS", ["*"]), ("FLUSHALL", []),
                ("SCAN", ["0"]), ("CONFIG", ["GET", "*"]), ("DEL", [devices]),
            ]
            for (name, arguments) in commands { try expectDenied(of: name, arguments, by: connection) }
        }
    }

    @Test("rider-gateway may read trips, routes, progress and drivers and register devices; other commands are denied")
    func riderGateway() throws {
        try withUser("rider-gateway", file: "rider-gateway.acl") { fixture, address in
            let connection = try RedisConnection(address)
            try connection.call("MGET", "\(fixture.prefix)progress:rider.updates:0")
            for channel in ["trip:a", "route:a"] {
                try connection.call("MULTI")
                try connection.call("HGETALL", "\(fixture.prefix)\(channel)")
                try connection.call("HGETALL", "\(fixture.prefix)request:a")
                try connection.call("XREVRANGE", "\(fixture.prefix)\(channel):events", "+", "-", "COUNT", "32")
                #expect(try connection.call("EXEC").elements.count == 3)
            }
            try connection.call("SCAN", "0", "MATCH", "\(fixture.prefix)driver:*", "COUNT", "1000")
            try connection.call("HMGET", "\(fixture.prefix)driver:a", "lat", "lon")
            try connection.call("LRANGE", "\(fixture.prefix)driver:a:trail", "0", "-1")
            try connection.call("SMEMBERS", "\(fixture.prefix)drivers:areas")
            try connection.call(
                "GEOSEARCH", "\(fixture.prefix)drivers:geo:9q8y", "FROMLONLAT", "1", "1", "BYRADIUS", "1", "m", "ASC",
                "COUNT", "10", "WITHDIST")
            try connection.call("SET", "\(fixture.prefix)gateway:x", "{}", "PX", "30000")
            try connection.call("MULTI")
            try connection.call("HSET", "\(fixture.prefix)devices:a", "apns:00", "de")
            try connection.call("HLEN", "\(fixture.prefix)devices:a")
            try connection.call("PEXPIRE", "\(fixture.prefix)devices:a", "60000")
            #expect(try connection.call("EXEC").elements.count == 3)
            try connection.call("HDEL", "\(fixture.prefix)devices:a", "apns:00")
            let commands: [(StaticString, [String])] = [
                ("HSET", ["\(fixture.prefix)driver:a", "lat", "1"]), ("HGETALL", ["other"]),
                ("HSET", ["\(fixture.prefix)trip:a", "state", "x"]), ("SET", ["\(fixture.prefix)progress:x", "1"]),
                ("DEL", ["\(fixture.prefix)trip:a"]), ("XADD", ["\(fixture.prefix)trip:a:events", "*", "a", "b"]),
                ("HSET", ["\(fixture.prefix)request:a", "state", "x"]),
                ("SET", ["\(fixture.prefix)drivers:areas", "x"]),
                ("KEYS", ["*"]), ("FLUSHALL", []), ("CONFIG", ["GET", "*"]),
            ]
            for (name, arguments) in commands { try expectDenied(of: name, arguments, by: connection) }
        }
    }

    @Test("driver-gateway may store requests and check whether a trip exists; other commands are denied")
    func driverGateway() throws {
        try withUser("driver-gateway", file: "driver-gateway.acl") { fixture, address in
            let connection = try RedisConnection(address)
            let request = "\(fixture.prefix)request:a"
            try connection.call("WATCH", request)
            try connection.call("HGETALL", request)
            try connection.call("EXISTS", "\(fixture.prefix)trip:a")
            try connection.call("MULTI")
            try connection.call("HSET", request, "state", "REQUESTED")
            try connection.call("PEXPIRE", request, "60000")
            let cancelled = "\(fixture.prefix)requests:cancelled"
            try connection.call("XADD", cancelled, "MAXLEN", "~", "10000", "*", "trip_id", "a")
            #expect(try connection.call("EXEC").elements.count == 3)
            try connection.call("UNWATCH")
            try connection.call("SET", "\(fixture.prefix)gateway:x", "{}", "PX", "30000")
            let commands: [(StaticString, [String])] = [
                ("SET", ["\(fixture.prefix)trip:a", "x"]), ("XRANGE", [cancelled, "-", "+"]),
                ("XADD", ["\(fixture.prefix)trip:a:events", "*", "a", "b"]),
                ("HSET", ["\(fixture.prefix)trip:a", "state", "x"]), ("DEL", [request]), ("KEYS", ["*"]),
                ("HGETALL", ["\(fixture.prefix)driver:a"]), ("HGETALL", ["\(fixture.prefix)devices:a"]),
                ("SCAN", ["0"]), ("FLUSHALL", []), ("CONFIG", ["GET", "*"]),
            ]
            for (name, arguments) in commands { try expectDenied(of: name, arguments, by: connection) }
        }
    }

    private func expectDenied(of name: StaticString, _ arguments: [String], by connection: RedisConnection) throws {
        var commands = RedisCommands()
        commands.begin(name, arguments: arguments.count)
        for argument in arguments { commands.add(argument) }
        try connection.send(&commands)
        let error = #expect(throws: RedisError.self) { try connection.receive() }
        #expect(error?.code == .authentication, "\(name): \(String(describing: error))")
    }
}
