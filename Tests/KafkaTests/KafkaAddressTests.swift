import TestSupport
import Testing

@testable import Kafka

@Suite("Kafka addresses and properties", .blocking)
struct KafkaAddressTests {
    private func error(advice: String) throws -> KafkaError {
        let configuration = KafkaConfiguration(bootstrapServers: "127.0.0.1:1", advice: advice)
        let admin = try KafkaAdmin(configuration) { _ in }
        return try #require(throws: KafkaError.self) { try admin.partitionCounts(timeoutMilliseconds: 1000) }
    }

    @Test("the error of an unreachable broker has the configured advice instead of the default")
    func advice() throws {
        let unadvised = try error(advice: "")
        #expect(unadvised.code == .unreachable || unadvised.code == .timedOut)
        let advised = try error(advice: "Set this.")
        #expect(advised.message.hasSuffix(" Set this."), "\(advised)")
        #expect(!advised.message.contains("if it lasts"), "\(advised)")
    }

    @Test("the error of a reader without a reachable broker has the configured advice")
    func reader() throws {
        let configuration = KafkaConfiguration(bootstrapServers: "127.0.0.1:1", advice: "Set this.")
        let reader = try KafkaReader(configuration) { _ in }
        defer { reader.close() }
        let error = try #require(throws: KafkaError.self) {
            try reader.partitionCounts(of: ["t"], timeoutMilliseconds: 1000)
        }
        #expect(error.message.contains(" Set this."), "\(error)")
    }

    @Test(
        "librdkafka's guess about old brokers is removed",
        arguments: [
            "127.0.0.1:1/bootstrap: ApiVersionRequest failed: Local: Read underflow: probably due to broker version < "
                + "0.10 (see api.version.request configuration) (after 2ms in state APIVERSION_QUERY)",
            "127.0.0.1:1/bootstrap: Disconnected while requesting ApiVersion: might be caused by incorrect "
                + "security.protocol configuration (connecting to a SSL listener?) or broker version is < 0.10 (see "
                + "api.version.request)",
        ])
    func guess(reason: String) {
        let sentence = KafkaClientContext.sentence(reason)
        #expect(!sentence.contains("0.10"), "\(sentence)")
        #expect(sentence.contains("KAFKA_SECURITY_PROTOCOL"), "\(sentence)")
    }

    @Test("check() throws for unknown names and invalid values of properties")
    func check() throws {
        try KafkaConfiguration(bootstrapServers: "127.0.0.1:1", properties: ["socket.keepalive.enable": "true"]).check()
        for (name, value) in [("socket.keepalive.enabl", "true"), ("socket.keepalive.enable", "perhaps")] {
            #expect(try propertyError(of: name, value, variables: [:]).message.contains(" \(name) was rejected"))
        }
    }

    @Test("the error of an invalid property contains its environment variable, if it has one")
    func variable() throws {
        let name = "socket.timeout.ms"
        let error = try propertyError(of: name, "x", variables: [name: "KAFKA_SOCKET_TIMEOUT_MS"])
        #expect(error.message.contains(" \(name) (KAFKA_SOCKET_TIMEOUT_MS) was rejected"), "\(error)")
        let other = try propertyError(of: name, "x", variables: ["client.rack": "KAFKA_CLIENT_RACK"])
        #expect(!other.message.contains("KAFKA_"), "\(other)")
        var group = KafkaGroupSettings(group: "g", assignor: .range)
        group.sessionTimeoutMilliseconds = 0
        let groupError = try #require(throws: KafkaError.self) {
            _ = try KafkaConsumer(configuration([:]), group: group, topics: ["t"]) { _ in }
        }
        #expect(groupError.message.contains(" session.timeout.ms was rejected"), "\(groupError)")
    }

    private func configuration(
        _ variables: [String: String], properties: [String: String] = [:]
    ) -> KafkaConfiguration {
        KafkaConfiguration(bootstrapServers: "127.0.0.1:1", properties: properties, variables: variables)
    }

    private func propertyError(of name: String, _ value: String, variables: [String: String]) throws -> KafkaError {
        try #require(throws: KafkaError.self) { try configuration(variables, properties: [name: value]).check() }
    }
}
