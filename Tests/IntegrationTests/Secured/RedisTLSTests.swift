import Foundation
import Redis
import TestSupport
import Testing

@Suite(
    "Redis over TLS", .blocking,
    .enabled(if: TestServices.areAvailable && TestCertificates.isPossible, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct RedisTLSTests {
    private let certificates: TestCertificates

    init() async throws { certificates = try await TestCertificates() }

    private func configuration(
        _ server: TestServer, host: String = "127.0.0.1", authority: String? = nil, isClientKnown: Bool = false
    ) throws -> RedisConfiguration {
        var configuration = try RedisConfiguration(url: "rediss://\(host):\(server.port)")
        configuration.tls = RedisTLSConfiguration(
            authorityFile: authority ?? certificates.authority,
            certificateFile: isClientKnown ? certificates.path("client.pem") : nil,
            keyFile: isClientKnown ? certificates.path("client.key") : nil)
        return configuration
    }

    private func refusal(_ configuration: RedisConfiguration) -> RedisError? {
        #expect(throws: RedisError.self) { try RedisConnection(configuration) }
    }

    @Test("the right authority and host are let in, by name and by address, and large pipelines come through")
    func trusted() async throws {
        let server = try await TestServer.redis(certificates, ["--tls-auth-clients", "no"])
        defer { server.end() }
        for host in ["localhost", "127.0.0.1"] {
            let redis = try RedisConnection(try configuration(server, host: host))
            let value = String(repeating: "x", count: 1 << 20)
            var commands = RedisCommands()
            for index in 0..<64 {
                commands.begin("SET", arguments: 2)
                commands.add("key:\(index)")
                commands.add(value)
            }
            try redis.send(&commands)
            for _ in 0..<64 { #expect(try redis.receive().text == "OK") }
            #expect(try redis.call("GET", "key:63").text == value)
        }
    }

    @Test("another authority, another host and a missing certificate file are refused for good, with their settings")
    func distrusted() async throws {
        let server = try await TestServer.redis(certificates, ["--tls-auth-clients", "no"])
        defer { server.end() }
        let stranger = try await TestCertificates()
        for (configuration, words) in [
            (try configuration(server, authority: stranger.authority), "REDIS_SSL_CA_LOCATION"),
            (try configuration(server, host: "127.0.0.2"), "names the host of REDIS_URL"),
        ] {
            let error = refusal(configuration)
            #expect(error?.code == .tls)
            #expect(error?.isFatal == true)
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
        var system = try configuration(server)
        system.tls = RedisTLSConfiguration()
        #expect(refusal(system)?.code == .tls, "the system's authorities do not know ours")
        var broken = try configuration(server)
        broken.tls?.authorityFile = certificates.path("server.key")
        #expect(refusal(broken)?.message.contains("REDIS_SSL_CA_LOCATION") == true)
    }

    @Test("a server that asks for our certificate gets it")
    func clientCertificate() async throws {
        let server = try await TestServer.redis(certificates, ["--tls-auth-clients", "yes"])
        defer { server.end() }
        #expect(try RedisConnection(try configuration(server, isClientKnown: true)).call("PING").text == "PONG")
        #expect(throws: RedisError.self) { try RedisConnection(try configuration(server)) }
    }

    @Test("TLS to a port that does not speak it asks whether it does")
    func plainPort() throws {
        let plain = try RedisFixture.address()
        var secured = plain
        secured.tls = RedisTLSConfiguration(authorityFile: certificates.authority)
        let error = refusal(secured)
        #expect(error?.isRetriable == true, "a silent server may be a busy one")
        #expect(error?.message.contains("check that the port uses TLS") == true, "\(String(describing: error))")
    }
}
