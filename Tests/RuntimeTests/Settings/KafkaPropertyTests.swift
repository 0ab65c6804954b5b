import Foundation
import Testing

@testable import Runtime

@Suite("Kafka properties")
struct KafkaPropertyTests {
    @Test("KAFKA_ variables that are not settings become properties")
    func passThrough() throws {
        let settings = try Settings(
            for: .locationWorker,
            environment: [
                "KAFKA_SOCKET_KEEPALIVE_ENABLE": "true", "KAFKA_CLIENT_RACK": "a", "KAFKA_BOOTSTRAP_SERVERS": "h:1",
                "KAFKA_SESSION_TIMEOUT_MS": "7000", "KAFKAESQUE": "no", "KAFKA_": "no",
            ])
        #expect(settings.kafka.revealedProperties == ["socket.keepalive.enable": "true", "client.rack": "a"])
        #expect(settings.kafka.properties.map(\.name) == ["client.rack", "socket.keepalive.enable"])
        #expect(settings.effective.map(\.description).contains("KAFKA_CLIENT_RACK=a"))
    }

    @Test("variables of Apache Kafka's scripts are not properties")
    func scripts() throws {
        let environment = ["KAFKA_HOME": "/opt/kafka", "KAFKA_HEAP_OPTS": "-Xmx1g", "KAFKA_LOG4J_OPTS": "-Da=b"]
        let kafka = try Settings(for: .locationWorker, environment: environment).kafka
        #expect(kafka.properties.isEmpty && kafka.isUnset)
    }

    @Test("a property has the variable that set it, and a default has no variable")
    func variables() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("password-\(UUID().uuidString)")
        try Data("word".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let environment = [
            "KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_SASL_USERNAME": "u", "KAFKA_SASL_PASSWORD_FILE": file.path,
            "KAFKA_CLIENT_RACK": "a", "KAFKA_SASL_MECHANISM": " ",
        ]
        let kafka = try Settings(for: .commandLine, environment: environment).kafka
        #expect(kafka.revealedProperties["sasl.mechanism"] == "SCRAM-SHA-512")
        #expect(
            kafka.propertyVariables == [
                "security.protocol": "KAFKA_SECURITY_PROTOCOL", "sasl.username": "KAFKA_SASL_USERNAME",
                "sasl.password": "KAFKA_SASL_PASSWORD", "client.rack": "KAFKA_CLIENT_RACK",
            ])
    }

    @Test(
        "variables of reserved properties are problems", arguments: KafkaProperty.reserved.keys.sorted())
    func reserved(name: String) {
        let variable = "KAFKA_" + name.uppercased().split(separator: ".").joined(separator: "_")
        // KAFKA_BOOTSTRAP_SERVERS is itself a setting.
        guard variable != SettingDefinition.kafkaBootstrapServers.key else { return }
        #expect(SettingsReadingTests.problems(.locationWorker, [variable: "1"]).map(\.keys) == [[variable]])
    }

    @Test("Kubernetes service links are not properties")
    func serviceLinks() throws {
        let settings = try Settings(
            for: .locationWorker,
            environment: [
                "KAFKA_PORT": "tcp://10.0.0.1:9092", "KAFKA_SERVICE_HOST": "10.0.0.1", "KAFKA_SERVICE_PORT": "9092",
                "KAFKA_PORT_9092_TCP_ADDR": "10.0.0.1",
            ])
        #expect(settings.kafka.properties.isEmpty)
    }

    @Test("a librdkafka property whose name ends in .file is passed to librdkafka, not read as a secret")
    func fileProperties() throws {
        let settings = try Settings(
            for: .locationWorker,
            environment: [
                "KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "KAFKA_SASL_MECHANISM": "OAUTHBEARER",
                "KAFKA_SASL_OAUTHBEARER_ASSERTION_FILE": "/run/assertion",
            ])
        #expect(settings.kafka.revealedProperties["sasl.oauthbearer.assertion.file"] == "/run/assertion")
    }
}
