import Redis
import Sinks
import TestSupport
import Testing
import Tracking

@Suite("Redis rights", .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct RedisRightsTests {
    /// The rules of a user in the example file, for keys with `prefix`.
    private func rules(of user: String, prefix: String) throws -> [String] {
        let line = try Checkout.text("deploy/redis/position-worker.acl").split(separator: "\n")
            .first { $0.hasPrefix("user \(user) ") }
        return try #require(line).split(separator: " ").dropFirst(4)
            .map { $0.hasPrefix("~") ? "~\(prefix)\($0.dropFirst())" : String($0) }
    }

    private func withUser(_ user: String, _ body: (RedisFixture, RedisConfiguration) throws -> Void) throws {
        let fixture = try RedisFixture()
        let name = "\(fixture.prefix)\(user)"
        var commands = RedisCommands()
        let rules = try rules(of: user, prefix: fixture.prefix)
        let words = ["SETUSER", name, "on", ">hunter2"] + rules
        commands.begin("ACL", arguments: words.count)
        for word in words { commands.add(word) }
        try fixture.redis.send(&commands)
        #expect(try fixture.redis.receive().text == "OK")
        defer { _ = try? fixture.redis.call("ACL", "DELUSER", name) }
        var configuration = try RedisFixture.address()
        configuration.username = name
        configuration.password = "hunter2"
        try body(fixture, configuration)
    }

    @Test("the example's worker writes positions and trips, sweeps, and may do nothing else")
    func worker() throws {
        try withUser("position-worker") { fixture, address in
            let drivers = PositionRecords(.locations)
            for _ in 0..<3 { drivers.addVerdict(of: "a") }
            drivers.addVerdict(of: "a", latitude: 40)
            let updates = PositionRecords(.riderUpdates)
            updates.addUpdate("trip_state_changed", channel: "trip:t", payload: #"{"state":"COMPLETED"}"#)
            let sink = try fixture.sink { $0.redis = address }
            _ = try sink.clocks(of: [drivers.lane, updates.lane])
            _ = try sink.write([drivers.batch(to: 2), updates.batch()])
            _ = try sink.write([drivers.batch(from: 2)])
            try sink.maintain(now: Timestamp(milliseconds: PositionRecords.start + 3_600_000))
            #expect(try fixture.keys().contains("trip:t:events"))
            #expect(try fixture.members(of: "9r0g").isEmpty, "swept")
            let connection = try RedisConnection(address)
            let commands: [(StaticString, [String])] = [
                ("FLUSHALL", []), ("KEYS", ["*"]), ("CONFIG", ["GET", "*"]), ("GET", ["\(fixture.prefix)lane:x"]),
                ("DEL", ["\(fixture.prefix)driver:x"]), ("SET", ["other", "1"]), ("EVAL", ["return 1", "0"]),
                ("ACL", ["LIST"]),
            ]
            for (name, arguments) in commands { try expectRefusal(of: name, arguments, by: connection) }
        }
    }

    @Test("the example's reader reads what riders and dispatchers ask, and writes nothing")
    func reader() throws {
        try withUser("position-reader") { fixture, address in
            let connection = try RedisConnection(address)
            try connection.call("HGETALL", "\(fixture.prefix)driver:a")
            try connection.call("XRANGE", "\(fixture.prefix)trip:a:events", "-", "+")
            let commands: [(StaticString, [String])] = [
                ("HSET", ["\(fixture.prefix)driver:a", "lat", "1"]), ("MGET", ["\(fixture.prefix)lane:x"]),
                ("FLUSHALL", []),
            ]
            for (name, arguments) in commands { try expectRefusal(of: name, arguments, by: connection) }
        }
    }

    private func expectRefusal(of name: StaticString, _ arguments: [String], by connection: RedisConnection) throws {
        var commands = RedisCommands()
        commands.begin(name, arguments: arguments.count)
        for argument in arguments { commands.add(argument) }
        try connection.send(&commands)
        let error = #expect(throws: RedisError.self) { try connection.receive() }
        #expect(error?.code == .authentication, "\(name): \(String(describing: error))")
    }
}
