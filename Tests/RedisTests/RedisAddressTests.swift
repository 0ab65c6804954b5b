import TestSupport
import Testing

@testable import Redis

@Suite("Redis address", .blocking)
struct RedisAddressTests {
    private func error(advice: String) throws -> RedisError {
        var configuration = try RedisConfiguration(url: "redis://127.0.0.1:1")
        configuration.advice = advice
        return try #require(throws: RedisError.self) { _ = try RedisConnection(configuration) }
    }

    @Test("the error of an unreachable server has the configured advice instead of the default")
    func advice() throws {
        let unadvised = try error(advice: "")
        #expect(unadvised.code == .connect && unadvised.message.hasSuffix("; check REDIS_URL, and that Redis runs."))
        let advised = try error(advice: "Set this.")
        #expect(advised.code == .connect && advised.message.hasSuffix("). Set this."), "\(advised)")
        #expect(!advised.message.contains("check REDIS_URL"), "\(advised)")
    }

    @Test("the error of a missing login has the advice, and a temporary error does not")
    func login() throws {
        var configuration = try RedisConfiguration(url: "redis://127.0.0.1:1")
        let (denied, loading) = (RedisError(reply: "NOAUTH Authentication required."), RedisError(reply: "LOADING"))
        #expect(RedisConnection.advised(denied, configuration) == denied)
        configuration.advice = "Set this."
        #expect(RedisConnection.advised(denied, configuration).message == "\(denied) Set this.")
        #expect(RedisConnection.advised(denied, configuration).code == .authentication)
        #expect(RedisConnection.advised(loading, configuration) == loading)
    }
}
