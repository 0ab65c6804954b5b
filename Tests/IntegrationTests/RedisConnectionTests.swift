import Foundation
import TestSupport
import Testing

@testable import Redis

@Suite("Redis connection", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct RedisConnectionTests {
    private let fixture: RedisFixture

    init() throws { fixture = try RedisFixture() }

    @Test("many commands are sent at once and answered in order")
    func pipeline() throws {
        var commands = RedisCommands()
        for number in 0..<20_000 {
            commands.begin("ECHO", arguments: 1)
            commands.add(Int64(number))
        }
        try fixture.redis.send(&commands)
        #expect(commands.count == 0)
        for number in 0..<20_000 { #expect(try fixture.redis.receive().integer == Int64(number)) }
    }

    @Test("every kind of answer keeps its kind")
    func kinds() throws {
        let key = "\(fixture.prefix)list"
        #expect(try fixture.redis.call("PING") == .status("PONG"))
        #expect(try fixture.redis.call("RPUSH", key, "a", "\0\r\n") == .integer(2))
        #expect(try fixture.redis.call("LRANGE", key, "0", "-1") == .array([.bytes([97]), .bytes([0, 13, 10])]))
        #expect(try fixture.redis.call("GET", "\(fixture.prefix)none") == .missing)
    }

    @Test("a refused command is an error, and the connection goes on")
    func refusal() throws {
        try fixture.redis.call("SET", "\(fixture.prefix)text", "a")
        let error = #expect(throws: RedisError.self) { try fixture.redis.call("LPUSH", "\(fixture.prefix)text", "b") }
        #expect(error?.code == .wrongType)
        #expect(try fixture.redis.call("PING") == .status("PONG"))
    }

    @Test("answers that nobody waits for any more are skipped, and the next command gets its own")
    func skipped() throws {
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

    @Test("a transaction tells conflict, failures inside, and a command that was never queued")
    func transactions() throws {
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
            Issue.record("A failing command does not undo the others.")
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

    @Test("an address without a server is a retriable error that names it")
    func nobodyThere() throws {
        let configuration = try RedisConfiguration(url: "redis://:hunter2@127.0.0.1:1")
        let error = #expect(throws: RedisError.self) { try RedisConnection(configuration) }
        #expect(error?.code == .connect)
        #expect(error?.isRetriable == true)
        #expect(error?.message.contains("127.0.0.1:1") == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test("a server that accepts and says nothing is given up after the timeout")
    func silence() throws {
        // A proxy that passes nothing on.
        let address = try RedisFixture.address()
        let proxy = try CuttingProxy(
            to: (address.host, address.port), limits: [.init(direction: .toClient, bytes: 0)], holdsCut: true)
        defer { proxy.stop() }
        let configuration = RedisConfiguration(
            host: "127.0.0.1", port: proxy.port, connectTimeout: .milliseconds(200))
        let start = ContinuousClock.now
        let error = #expect(throws: RedisError.self) { try RedisConnection(configuration) }
        #expect(error?.isRetriable == true)
        #expect(error?.message.contains("no answer in time") == true)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("a wrong password is fatal, the right one is not, and neither is repeated")
    func login() throws {
        let user = fixture.prefix.replacingOccurrences(of: ":", with: "")
        try fixture.redis.call("ACL", "SETUSER", user, "on", ">hunter2", "~\(fixture.prefix)*", "+@all", "-flushall")
        defer {
            // The server is the tests' own; a user that stays behind has no keys.
            _ = try? fixture.redis.call("ACL", "DELUSER", user)
        }
        var configuration = try RedisFixture.address()
        configuration.username = user
        configuration.password = "hunter3"
        let error = #expect(throws: RedisError.self) { try RedisConnection(configuration) }
        #expect(error?.code == .authentication)
        #expect(error?.isFatal == true)
        #expect(error?.message.contains("hunter3") == false)
        configuration.password = "hunter2"
        let connection = try RedisConnection(configuration)
        #expect(try connection.call("ACL", "WHOAMI").text == user)
        let forbidden = #expect(throws: RedisError.self) { try connection.call("SET", "somebody-elses", "a") }
        #expect(forbidden?.code == .authentication)
    }

    @Test("a database that is not there is a fatal error that names the setting")
    func database() throws {
        var configuration = try RedisFixture.address()
        configuration.database = 100_000
        let error = #expect(throws: RedisError.self) { try RedisConnection(configuration) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("REDIS_URL") == true)
    }
}
