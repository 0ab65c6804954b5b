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

    @Test("the error has the configured advice instead of the default")
    func advice() throws {
        let general = try error(advice: "")
        #expect(general.code == .connect && general.message.hasSuffix("; check REDIS_URL, and that Redis runs."))
        let given = try error(advice: "Set this.")
        #expect(given.code == .connect && given.message.hasSuffix("). Set this."), "\(given)")
        #expect(!given.message.contains("check REDIS_URL"), "\(given)")
    }

    @Test("the error of a rejected login has the advice, a temporary error does not")
    func login() throws {
        var configuration = try RedisConfiguration(url: "redis://127.0.0.1:1")
        let (refused, loading) = (RedisError(reply: "NOAUTH Authentication required."), RedisError(reply: "LOADING"))
        #expect(RedisConnection.advised(refused, configuration) == refused)
        configuration.advice = "Set this."
        #expect(RedisConnection.advised(refused, configuration).message == "\(refused) Set this.")
        #expect(RedisConnection.advised(refused, configuration).code == .authentication)
        #expect(RedisConnection.advised(loading, configuration) == loading)
    }
}
