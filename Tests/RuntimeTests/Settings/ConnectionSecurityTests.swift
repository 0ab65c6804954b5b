import Foundation
import Testing

@testable import Runtime

@Suite("Secured connections")
struct ConnectionSecurityTests {
    /// An existing, readable file.
    private static let file = URL(filePath: #filePath).path

    private func keys(_ program: Program, _ environment: [String: String]) -> [[String]] {
        SettingsReadingTests.problems(program, environment).map(\.keys)
    }

    @Test("TLS and login settings become librdkafka properties")
    func kafkaLogin() throws {
        let settings = try Settings(
            for: .locationWorker,
            environment: [
                "KAFKA_SECURITY_PROTOCOL": "sasl_ssl", "KAFKA_SASL_MECHANISM": "SCRAM-SHA-256",
                "KAFKA_SASL_USERNAME": "worker", "KAFKA_SASL_PASSWORD": "hunter2", "KAFKA_SSL_CA_LOCATION": Self.file,
                "KAFKA_SSL_CERTIFICATE_LOCATION": Self.file, "KAFKA_SSL_KEY_LOCATION": Self.file,
                "KAFKA_SSL_KEY_PASSWORD": "hunter3",
            ])
        #expect(
            settings.kafka.revealedProperties == [
                "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-256", "sasl.username": "worker",
                "sasl.password": "hunter2", "ssl.ca.location": Self.file, "ssl.certificate.location": Self.file,
                "ssl.key.location": Self.file, "ssl.key.password": "hunter3",
            ])
        let shown = settings.effective.map(\.description)
        #expect(shown.contains("KAFKA_SASL_PASSWORD=****"))
        #expect(!shown.contains { $0.contains("hunter") })
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("hunter"))
    }

    @Test("without settings there are no Kafka properties, and an empty secret is not masked")
    func kafkaPlain() throws {
        let settings = try Settings(for: .locationWorker, environment: [:])
        #expect(settings.kafka.properties.isEmpty)
        #expect(settings.effective.map(\.description).contains("KAFKA_SASL_PASSWORD= (default)"))
    }

    @Test(
        "invalid, incomplete and ineffective security settings are problems",
        arguments: [
            (["KAFKA_SASL_USERNAME": "a"], ["KAFKA_SASL_USERNAME", "KAFKA_SECURITY_PROTOCOL"]),
            (["KAFKA_SASL_PASSWORD": "a"], ["KAFKA_SASL_PASSWORD", "KAFKA_SECURITY_PROTOCOL"]),
            (["KAFKA_SSL_CA_LOCATION": file], ["KAFKA_SSL_CA_LOCATION", "KAFKA_SECURITY_PROTOCOL"]),
            (["KAFKA_SSL_CIPHER_SUITES": "x"], ["KAFKA_SSL_CIPHER_SUITES", "KAFKA_SECURITY_PROTOCOL"]),
            (
                ["KAFKA_SECURITY_PROTOCOL": "SSL", "KAFKA_SASL_USERNAME": "a"],
                ["KAFKA_SASL_USERNAME", "KAFKA_SECURITY_PROTOCOL"]
            ),
            (["KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_SASL_USERNAME": "a"], ["KAFKA_SASL_PASSWORD"]),
            (["KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_SASL_PASSWORD": "a"], ["KAFKA_SASL_USERNAME"]),
            (
                ["KAFKA_SECURITY_PROTOCOL": "SSL", "KAFKA_SSL_CERTIFICATE_LOCATION": file],
                ["KAFKA_SSL_CERTIFICATE_LOCATION", "KAFKA_SSL_KEY_LOCATION"]
            ),
            (["KAFKA_SECURITY_PROTOCOL": "TLS"], ["KAFKA_SECURITY_PROTOCOL"]),
            (["KAFKA_SECURITY_PROTOCOL": "SSL", "KAFKA_SSL_CA_LOCATION": "/no/such"], ["KAFKA_SSL_CA_LOCATION"]),
            (["REDIS_SSL_CA_LOCATION": file], ["REDIS_SSL_CA_LOCATION", "REDIS_URL"]),
            (["REDIS_URL": "rediss://h", "REDIS_SSL_CA_LOCATION": "/no/such"], ["REDIS_SSL_CA_LOCATION"]),
            (
                ["REDIS_URL": "rediss://h", "REDIS_SSL_KEY_LOCATION": file],
                ["REDIS_SSL_CERTIFICATE_LOCATION", "REDIS_SSL_KEY_LOCATION"]
            ),
        ] as [([String: String], [String])])
    func problems(environment: [String: String], expected: [String]) {
        #expect(keys(.positionWorker, environment) == [expected])
    }

    @Test("OAUTHBEARER needs no password")
    func token() throws {
        let settings = try Settings(
            for: .locationWorker,
            environment: ["KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_SASL_MECHANISM": "OAUTHBEARER"])
        #expect(settings.kafka.revealedProperties["sasl.mechanism"] == "OAUTHBEARER")
    }
}
