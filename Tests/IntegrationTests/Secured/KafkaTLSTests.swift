import ChildProcesses
import Foundation
import Kafka
import TestSupport
import Testing

@Suite(
    "Kafka over TLS", .blocking,
    .enabled(if: TestServices.areAvailable && TestCertificates.isPossible, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct KafkaTLSTests {
    private let certificates: TestCertificates

    init() async throws { certificates = try await TestCertificates() }

    private func counts(at address: String, _ properties: [String: String]) throws -> [String: Int] {
        let admin = try KafkaAdmin(KafkaConfiguration(bootstrapServers: address, properties: properties)) { _ in }
        return try admin.partitionCounts(timeoutMilliseconds: 2000)
    }

    /// The error of a client that is refused.
    ///
    /// A handshake may take longer than one request waits for it, so the client asks again.
    private func refusal(at address: String, _ properties: [String: String]) async throws -> KafkaError {
        var refusal: KafkaError?
        try await eventually("the client is refused; the last error: \(String(describing: refusal))") {
            refusal = #expect(throws: KafkaError.self) { try counts(at: address, properties) }
            return refusal?.code == .access
        }
        return try #require(refusal)
    }

    @Test(
        "the right authority and host are let in; another authority or host is refused with the settings to check",
        .enabled(if: TestServer.hasStunnel, "\(TestServer.stunnelHint)"))
    func trust() async throws {
        // Clients come back to where the broker says it is, so the proxy's port has to be known before.
        let port = Int(try FreePort.take())
        let broker = try await TestServer.broker(advertised: "localhost:\(port)")
        defer { broker.end() }
        let proxy = try await TestServer.tls(to: broker.port, certificates, port: port)
        defer { proxy.end() }
        let trusting = ["security.protocol": "SSL", "ssl.ca.location": certificates.authority]
        for host in ["localhost", "127.0.0.1"] {
            try await eventually("\(host) is trusted") {
                (try? counts(at: "\(host):\(proxy.port)", trusting)) != nil
            }
        }
        let stranger = try await TestCertificates()
        for (host, authority) in [("localhost", stranger.authority), ("127.0.0.2", certificates.authority)] {
            let error = try await refusal(
                at: "\(host):\(proxy.port)", ["security.protocol": "SSL", "ssl.ca.location": authority])
            #expect(error.isFatal)
            #expect(error.message.contains("KAFKA_SSL_CA_LOCATION"))
        }
    }

    @Test("a login that the broker does not know is refused with the settings to check", arguments: [256, 512])
    func login(bits: Int) async throws {
        // The local broker makes no users where it asks for a login, so a login that works cannot be shown with it.
        let broker = try await TestServer.broker(advertised: "127.0.0.1:PORT", ["--authentication"])
        defer { broker.end() }
        let error = try await refusal(
            at: "127.0.0.1:\(broker.port)",
            [
                "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-\(bits)", "sasl.username": "worker",
                "sasl.password": "hunter2",
            ])
        #expect(error.message.contains("KAFKA_SASL_PASSWORD"), "\(error)")
        #expect(!error.message.contains("hunter2"))
    }

    @Test("properties that do not go together are refused at once")
    func refusedProperties() {
        for properties in [
            ["security.protocol": "SASL_SSL", "sasl.mechanism": "GSSAPI"],
            ["security.protocol": "SSL", "ssl.ca.location": "/no/such/file"],
        ] {
            let error = #expect(throws: KafkaError.self) { try counts(at: "127.0.0.1:1", properties) }
            #expect(error?.code == .configuration, "\(String(describing: error))")
        }
    }
}
