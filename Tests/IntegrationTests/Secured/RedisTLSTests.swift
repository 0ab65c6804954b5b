import Foundation
import Redis
import TestSupport
import Testing

@Suite(
    "Redis over TLS", .blocking,
    .enabled(if: TestServices.areAvailable && TestCertificates.isAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct RedisTLSTests {
    private let certificates: TestCertificates

    init() async throws { certificates = try await TestCertificates() }

    private func configuration(
        _ server: TestServer, host: String = "127.0.0.1", authority: String? = nil, sendsCertificate: Bool = false
    ) throws -> RedisConfiguration {
        var configuration = try RedisConfiguration(url: "rediss://\(host):\(server.port)")
        configuration.tls = RedisTLSConfiguration(
            authorityFile: authority ?? certificates.authority,
            certificateFile: sendsCertificate ? certificates.path("client.pem") : nil,
            keyFile: sendsCertificate ? certificates.path("client.key") : nil)
        return configuration
    }

    private func connectionError(_ configuration: RedisConfiguration) -> RedisError? {
        #expect(throws: RedisError.self) { try RedisConnection(configuration) }
    }

    @Test("the correct authority and host are accepted, by name and address, and large pipelines work")
    func trustedServer() async throws {
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

    @Test("another authority, another host or an invalid authority file is an error with the setting to check")
    func untrustedServer() async throws {
        let server = try await TestServer.redis(certificates, ["--tls-auth-clients", "no"])
        defer { server.end() }
        let other = try await TestCertificates()
        for (configuration, words) in [
            (try configuration(server, authority: other.authority), "REDIS_SSL_CA_LOCATION"),
            (try configuration(server, host: "127.0.0.2"), "is valid for the host of REDIS_URL"),
        ] {
            let error = connectionError(configuration)
            #expect(error?.code == .tls)
            #expect(error?.isRetriable == false)
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
        var system = try configuration(server)
        system.tls = RedisTLSConfiguration()
        #expect(connectionError(system)?.code == .tls, "the system's authorities accepted the test authority")
        var broken = try configuration(server)
        broken.tls?.authorityFile = certificates.path("server.key")
        #expect(connectionError(broken)?.message.contains("REDIS_SSL_CA_LOCATION") == true)
    }

    @Test("connecting to a server that requires client certificates needs a configured certificate")
    func clientCertificate() async throws {
        let server = try await TestServer.redis(certificates, ["--tls-auth-clients", "yes"])
        defer { server.end() }
        #expect(try RedisConnection(try configuration(server, sendsCertificate: true)).call("PING").text == "PONG")
        #expect(throws: RedisError.self) { try RedisConnection(try configuration(server)) }
    }

    @Test("TLS to a port without TLS is an error with the possible cause")
    func plainPort() throws {
        let plain = try RedisFixture.address()
        var secured = plain
        secured.tls = RedisTLSConfiguration(authorityFile: certificates.authority)
        let error = connectionError(secured)
        #expect(error?.isRetriable == true, "a busy server may also fail to respond")
        #expect(error?.message.contains("check that the port uses TLS") == true, "\(String(describing: error))")
    }
}
