import Foundation
import TestSupport
import Testing

@testable import Redis

@Suite("Redis connection", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct RedisConnectionTests {
    private let fixture: RedisFixture

    init() throws { fixture = try RedisFixture() }

    @Test("replies of pipelined commands arrive in order")
    func pipelining() throws {
        var commands = RedisCommands()
        for number in 0..<20_000 {
            commands.begin("ECHO", arguments: 1)
            commands.add(Int64(number))
        }
        try fixture.redis.send(&commands)
        #expect(commands.count == 0)
        for number in 0..<20_000 { #expect(try fixture.redis.receive().integer == Int64(number)) }
    }

    @Test("status, integer, array, bulk and null replies are decoded")
    func replyTypes() throws {
        let key = "\(fixture.prefix)list"
        #expect(try fixture.redis.call("PING") == .status("PONG"))
        #expect(try fixture.redis.call("RPUSH", key, "a", "\0\r\n") == .integer(2))
        #expect(try fixture.redis.call("LRANGE", key, "0", "-1") == .array([.bytes([97]), .bytes([0, 13, 10])]))
        #expect(try fixture.redis.call("GET", "\(fixture.prefix)none") == .missing)
    }

    @Test("a failed command throws, and the connection stays usable")
    func failedCommand() throws {
        try fixture.redis.call("SET", "\(fixture.prefix)text", "a")
        let error = #expect(throws: RedisError.self) { try fixture.redis.call("LPUSH", "\(fixture.prefix)text", "b") }
        #expect(error?.code == .wrongType)
        #expect(try fixture.redis.call("PING") == .status("PONG"))
    }

    @Test("discarded replies are skipped, and the next command gets its own reply")
    func discardedReplies() throws {
        var commands = RedisCommands()
        for _ in 0..<3 {
            commands.begin("INCR", arguments: 1)
            commands.add("\(fixture.prefix)number")
        }
        commands.begin("NONE", arguments: 0)
        try fixture.redis.send(&commands)
        #expect(try fixture.redis.receiveAny() == .integer(1))
        try fixture.redis.discardReplies()
        try fixture.redis.discardReplies()
        #expect(try fixture.redis.call("PING") == .status("PONG"))
    }

    @Test("a transaction reports a conflict, failed commands, and a command that was not queued")
    func transactionOutcomes() throws {
        let key = "\(fixture.prefix)text"
        let other = try RedisConnection(RedisFixture.address())
        var commands = RedisCommands()
        func run(_ body: (inout RedisCommands) -> Void) throws -> RedisTransaction {
            commands.begin("MULTI", arguments: 0)
            body(&commands)
            let count = commands.count - 1
            commands.begin("EXEC", arguments: 0)
            try fixture.redis.send(&commands)
            return try fixture.redis.receiveTransaction(commands: count)
        }
        func set(_ commands: inout RedisCommands) {
            commands.begin("SET", arguments: 2)
            commands.add(key)
            commands.add("a")
        }
        #expect(try run(set) == .executed(failures: []))
        try fixture.redis.call("WATCH", key)
        try other.call("SET", key, "b")
        #expect(try run(set) == .conflict)
        #expect(try fixture.text("text") == "b")
        let outcome = try run { commands in
            set(&commands)
            commands.begin("LPUSH", arguments: 2)
            commands.add(key)
            commands.add("x")
        }
        guard case .executed(let failures) = outcome else {
            Issue.record("A failed command must not roll back other commands: \(outcome)")
            return
        }
        #expect(failures.map(\.code) == [.wrongType])
        let error = #expect(throws: RedisError.self) {
            try run { commands in
                set(&commands)
                commands.begin("NOSUCHCOMMAND", arguments: 0)
            }
        }
        #expect(error?.code == .refused)
        #expect(try fixture.redis.call("PING") == .status("PONG"))
    }

    @Test("a failed connection throws a retriable error with the address and without the password")
    func noServer() throws {
        let configuration = try RedisConfiguration(url: "redis://:hunter2@127.0.0.1:1")
        let error = #expect(throws: RedisError.self) { try RedisConnection(configuration) }
        #expect(error?.code == .connect)
        #expect(error?.isRetriable == true)
        #expect(error?.message.contains("127.0.0.1:1") == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("connecting to a server that accepts but does not reply fails after the timeout")
    func silentServer() throws {
        // This proxy forwards nothing to the client.
        let address = try RedisFixture.address()
        let proxy = try CuttingProxy(
            to: (address.host, address.port), limits: [.init(direction: .toClient, bytes: 0)], stallsAtZero: true)
        defer { proxy.stop() }
        let configuration = RedisConfiguration(
            host: "127.0.0.1", port: proxy.port, connectTimeout: .milliseconds(200))
        let start = ContinuousClock.now
        let error = #expect(throws: RedisError.self) { try RedisConnection(configuration) }
        #expect(error?.isRetriable == true)
        #expect(error?.message.contains("no answer in time") == true)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("a wrong password is a fatal error that does not contain the password, and a forbidden key is an error")
    func authentication() throws {
        let user = fixture.prefix.replacingOccurrences(of: ":", with: "")
        try fixture.redis.call("ACL", "SETUSER", user, "on", ">hunter2", "~\(fixture.prefix)*", "+@all", "-flushall")
        defer {
            // If the deletion fails, the user stays on the test server, with access to keys of this test only.
            _ = try? fixture.redis.call("ACL", "DELUSER", user)
        }
        var configuration = try RedisFixture.address()
        configuration.username = user
        configuration.password = "hunter3"
        let error = #expect(throws: RedisError.self) { try RedisConnection(configuration) }
        #expect(error?.code == .authentication)
        #expect(error?.isRetriable == false)
        #expect(error?.message.contains("hunter3") == false)
        configuration.password = "hunter2"
        let connection = try RedisConnection(configuration)
        #expect(try connection.call("ACL", "WHOAMI").text == user)
        let forbidden = #expect(throws: RedisError.self) { try connection.call("SET", "somebody-elses", "a") }
        #expect(forbidden?.code == .authentication)
    }

    @Test("a missing database is a configuration error that contains REDIS_URL")
    func missingDatabase() throws {
        var configuration = try RedisFixture.address()
        configuration.database = 100_000
        let error = #expect(throws: RedisError.self) { try RedisConnection(configuration) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("REDIS_URL") == true)
    }
}
