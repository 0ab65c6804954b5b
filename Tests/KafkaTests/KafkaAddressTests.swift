import TestSupport
import Testing

@testable import Kafka

@Suite("Where no broker answers", .blocking)
struct KafkaAddressTests {
    private func error(advice: String) throws -> KafkaError {
        let configuration = KafkaConfiguration(bootstrapServers: "127.0.0.1:1", advice: advice)
        let admin = try KafkaAdmin(configuration) { _ in }
        return try #require(throws: KafkaError.self) { try admin.partitionCounts(timeoutMilliseconds: 1000) }
    }

    @Test("the error says so, with the advice in place of the general one")
    func advice() throws {
        let general = try error(advice: "")
        #expect(general.code == .unreachable || general.code == .timedOut)
        let given = try error(advice: "Set this.")
        #expect(given.message.hasSuffix(" Set this."), "\(given)")
        #expect(!given.message.contains("if it lasts"), "\(given)")
    }

    @Test("a reader's error has the advice, too")
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
        "the client library's guess at old brokers is left out",
        arguments: [
            "127.0.0.1:1/bootstrap: ApiVersionRequest failed: Local: Read underflow: probably due to broker version < 0.10 "
                + "(see api.version.request configuration) (after 2ms in state APIVERSION_QUERY)",
            "127.0.0.1:1/bootstrap: Disconnected while requesting ApiVersion: might be caused by incorrect "
                + "security.protocol configuration (connecting to a SSL listener?) or broker version is < 0.10 (see "
                + "api.version.request)",
        ])
    func guess(reason: String) {
        let sentence = KafkaClientContext.sentence(reason)
        #expect(!sentence.contains("0.10"), "\(sentence)")
        #expect(sentence.contains("KAFKA_SECURITY_PROTOCOL"), "\(sentence)")
    }

    @Test("a check refuses what the client library refuses, by the variable's name, and lets the rest pass")
    func check() throws {
        try KafkaConfiguration(bootstrapServers: "127.0.0.1:1", properties: ["socket.keepalive.enable": "true"]).check()
        let wrong = [("socket.keepalive.enabl", "true"), ("socket.keepalive.enable", "perhaps")]
        for (name, value) in wrong {
            let error = try #require(throws: KafkaError.self) {
                try KafkaConfiguration(bootstrapServers: "127.0.0.1:1", properties: [name: value]).check()
            }
            #expect(error.message.contains("KAFKA_SOCKET_KEEPALIVE_ENABL"), "\(error)")
        }
    }
}
