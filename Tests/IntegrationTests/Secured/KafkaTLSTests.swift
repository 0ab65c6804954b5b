import ChildProcesses
import Foundation
import Kafka
import TestSupport
import Testing

@Suite(
    "Kafka over TLS", .blocking,
    .enabled(if: TestServices.areAvailable && TestCertificates.isAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct KafkaTLSTests {
    private let certificates: TestCertificates

    init() async throws { certificates = try await TestCertificates() }

    private func counts(at address: String, _ properties: [String: String]) throws -> [String: Int] {
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: address, properties: properties)) { _ in }
        return try admin.partitionCounts(timeoutMilliseconds: 2000)
    }

    /// Returns the error of a client that is denied access.
    ///
    /// Repeats the request, because a handshake may take longer than the request's timeout.
    private func accessError(at address: String, _ properties: [String: String]) async throws -> KafkaError {
        var error: KafkaError?
        try await eventually("the client is denied access; the last error: \(String(describing: error))") {
            error = #expect(throws: KafkaError.self) { try counts(at: address, properties) }
            return error?.code == .access
        }
        return try #require(error)
    }

    @Test(
        "the correct authority and host are accepted; another authority or host is an error with the CA setting",
        .enabled(if: TestServer.hasStunnel, "\(TestServer.stunnelHint)"))
    func serverVerification() async throws {
        // Clients connect to the advertised address, so the broker must advertise the proxy's port.
        let port = Int(try FreePort.find())
        let broker = try await TestServer.broker(advertised: "localhost:\(port)")
        defer { broker.end() }
        let proxy = try await TestServer.tls(to: broker.port, certificates, port: port)
        defer { proxy.end() }
        let trusting = ["security.protocol": "SSL", "ssl.ca.location": certificates.authority]
        for host in ["localhost", "127.0.0.1"] {
            try await eventually("\(host) is accepted") {
                (try? counts(at: "\(host):\(proxy.port)", trusting)) != nil
            }
        }
        let other = try await TestCertificates()
        for (host, authority) in [("localhost", other.authority), ("127.0.0.2", certificates.authority)] {
            let error = try await accessError(
                at: "\(host):\(proxy.port)", ["security.protocol": "SSL", "ssl.ca.location": authority])
            #expect(error.isFatal)
            #expect(error.message.contains("KAFKA_SSL_CA_LOCATION"))
        }
    }

    @Test("an unknown login is an error with the setting to check", arguments: [256, 512])
    func unknownLogin(bits: Int) async throws {
        // The local broker has no users, so a successful login cannot be tested.
        let broker = try await TestServer.broker(advertised: "127.0.0.1:PORT", ["--authentication"])
        defer { broker.end() }
        let error = try await accessError(
            at: "127.0.0.1:\(broker.port)",
            [
                "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-\(bits)", "sasl.username": "worker",
                "sasl.password": "hunter2",
            ])
        #expect(error.message.contains("KAFKA_SASL_PASSWORD"), "\(error)")
        #expect(!error.message.contains("hunter2"))
    }

    @Test("conflicting or invalid properties are a configuration error")
    func invalidProperties() {
        for properties in [
            ["security.protocol": "SASL_SSL", "sasl.mechanism": "GSSAPI"],
            ["security.protocol": "SSL", "ssl.ca.location": "/no/such/file"],
        ] {
            let error = #expect(throws: KafkaError.self) { try counts(at: "127.0.0.1:1", properties) }
            #expect(error?.code == .configuration, "\(String(describing: error))")
        }
    }
}
