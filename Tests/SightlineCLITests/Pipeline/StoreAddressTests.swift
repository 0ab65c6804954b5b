import TestSupport
import Testing

@testable import Redis
@testable import Runtime
@testable import SightlineCLI

@Suite("Addresses of the stores for commands", .blocking)
struct StoreAddressTests {
    private func settings(_ environment: [String: String] = [:]) throws -> Settings {
        try Settings(for: .commandLine, environment: environment)
    }

    @Test("without an address of Redis, errors contain the variable to set")
    func redis() throws {
        var sink = try settings().positionSink()
        #expect(sink.redis.advice.contains("REDIS_URL is not set"))
        // A server may listen at the default port.
        sink.redis.port = 1
        let error = try #require(throws: RedisError.self) { _ = try RedisConnection(sink.redis) }
        #expect(error.message.contains("REDIS_URL is not set, so this was the default address"), "\(error)")
        #expect(try settings(["REDIS_URL": "redis://127.0.0.1:1"]).positionSink().redis.advice.isEmpty)
    }

    @Test("without an address of Postgres, errors contain the variable to set")
    func postgres() throws {
        let unset = try settings()
        for configuration in [unset.postgresConfiguration.forCommand("x"), unset.historySink.postgres] {
            #expect(configuration.advice.contains("POSTGRES_URL is not set"))
        }
        let set = try settings(["POSTGRES_URL": "postgresql://127.0.0.1:1/d"])
        #expect(set.postgresConfiguration.advice.isEmpty && set.historySink.postgres.advice.isEmpty)
    }

    @Test("--postgres-url overrides the address of Postgres in the settings")
    func option() throws {
        let unset = try settings()
        let given = try PostgresOptions.parse(["--postgres-url", "postgresql://h/d"]).configuration { unset }
        #expect(given.url == "postgresql://h/d" && given.advice.isEmpty)
        let standard = try PostgresOptions.parse([]).configuration { unset }
        #expect(standard.url == unset.postgres.url.reveal() && standard.advice.contains("POSTGRES_URL is not set"))
        for configuration in [given, standard] {
            #expect(configuration.applicationName == "sightline-cli" && configuration.responseTimeout == nil)
        }
    }
}
