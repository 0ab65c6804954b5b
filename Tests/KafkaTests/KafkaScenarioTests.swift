import Kafka
import KafkaMock
import KafkaScenarios
import TestSupport
import Testing

@Suite("Scenarios of librdkafka and of the simulated client", .blocking, .timeLimit(.minutes(10)))
struct KafkaScenarioTests {
    private final class Cluster: KafkaScenarioCluster {
        private let mock: MockCluster

        init() throws { mock = try MockCluster() }

        var configuration: KafkaConfiguration { mock.configuration }
        func createTopic(_ name: String, partitions: Int) { mock.createTopic(name, partitions: partitions) }
        func failWrites(count: Int) { mock.fail(.produce, with: Array(repeating: .notLeader, count: count)) }
    }

    /// Observations of the simulated client, by scenario.
    private static let simulated = Result { () throws -> [String: [String]] in
        let (code, output) = try Checkout.run(
            Checkout.programs.appendingPathComponent("fault-simulation"), ["--scenarios"])
        try #require(code == 0, "\(output)")
        var observations: [String: [String]] = [:]
        var name = ""
        for line in output.split(separator: "\n") {
            if line.hasPrefix("# ") {
                name = String(line.dropFirst(2))
                observations[name] = []
            } else {
                observations[name]?.append(String(line))
            }
        }
        return observations
    }

    @Test("librdkafka and the simulated client behave alike", arguments: KafkaScenario.all.map(\.name))
    func observations(_ name: String) throws {
        let scenario = try #require(KafkaScenario.all.first { $0.name == name })
        let expected = scenario.observe(on: try Cluster())
        let simulated = try Self.simulated.get()[name]
        #expect(simulated == expected)
    }
}
