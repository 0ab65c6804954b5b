import Foundation
import PositionWorker
import Redis
import Testing

/// Keys in the test Redis with a random prefix, deleted on `deinit`.
final class RedisFixture {
    static let url = TestServices.redis
    static let hint: Comment = "SIGHTLINE_TEST_REDIS (redis://host:port) is not set; deploy/test starts a server."

    let prefix = "it\(UInt32.random(in: 0...(.max))):"
    let redis: RedisConnection

    init() throws {
        redis = try RedisConnection(try Self.address())
    }

    deinit {
        // A deinit cannot throw. If keys remain, their random prefix avoids collisions with other tests.
        try? deleteAll()
    }

    static func address() throws -> RedisConfiguration {
        try RedisConfiguration(url: try #require(url))
    }

    func configuration(_ adjust: (inout PositionSinkConfiguration) -> Void = { _ in }) throws
        -> PositionSinkConfiguration
    {
        var configuration = PositionSinkConfiguration(redis: try Self.address())
        configuration.keyPrefix = prefix
        adjust(&configuration)
        return configuration
    }

    func sink(_ adjust: (inout PositionSinkConfiguration) -> Void = { _ in }) throws -> PositionSink {
        PositionSink(try configuration(adjust))
    }

    /// Returns all keys with the prefix, sorted and without the prefix.
    func keys() throws -> [String] {
        var keys: [String] = []
        try redis.scan(prefix: prefix, "*") { keys += $0.map { String($0.dropFirst(prefix.count)) } }
        return keys.sorted()
    }

    func deleteAll() throws {
        for key in try keys() { try redis.call("DEL", prefix + key) }
    }

    func delete(_ key: String) throws { try redis.call("DEL", prefix + key) }

    func text(_ key: String) throws -> String? { try redis.call("GET", prefix + key).text }

    func hash(_ key: String) throws -> [String: String] {
        let words = try redis.call("HGETALL", prefix + key).elements.compactMap(\.text)
        return Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) })
    }

    func list(_ key: String) throws -> [String] {
        try redis.call("LRANGE", prefix + key, "0", "-1").elements.compactMap(\.text)
    }

    /// Returns the drivers in the geo set of one area.
    func members(of area: String) throws -> Set<String> {
        Set(try redis.call("ZRANGE", "\(prefix)drivers:geo:\(area)", "0", "-1").elements.compactMap(\.text))
    }

    /// Returns ids and fields of the entries of a stream.
    func stream(_ key: String) throws -> [(id: String, fields: [String])] {
        try redis.call("XRANGE", prefix + key, "-", "+").elements.map { entry in
            (try #require(entry.elements.first?.text), entry.elements[1].elements.compactMap(\.text))
        }
    }

    func secondsToLive(_ key: String) throws -> Int64 { try #require(try redis.call("TTL", prefix + key).integer) }

    /// Returns all keys with their values as text, but without the generated ids of stream entries.
    func contents() throws -> [String: String] {
        var contents: [String: String] = [:]
        for key in try keys() {
            switch try redis.call("TYPE", prefix + key).text {
            case "hash": contents[key] = "\(try hash(key).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })"
            case "list": contents[key] = "\(try list(key))"
            case "stream": contents[key] = "\(try stream(key).map(\.fields))"
            case "zset": contents[key] = "\(try redis.call("ZRANGE", prefix + key, "0", "-1", "WITHSCORES"))"
            case "set":
                contents[key] = "\(try redis.call("SMEMBERS", prefix + key).elements.compactMap(\.text).sorted())"
            default: contents[key] = try text(key)
            }
        }
        return contents
    }
}
