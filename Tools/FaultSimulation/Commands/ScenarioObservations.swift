import CRdKafka
import Kafka
import KafkaScenarios

/// Run of the scenarios that also run against librdkafka, to compare the observations.
enum ScenarioObservations {
    /// The simulated log as a cluster of the scenarios.
    private final class Cluster: KafkaScenarioCluster {
        private let log: SimulatedLog
        private var topics: [String] = []

        init(_ log: SimulatedLog) { self.log = log }

        let configuration = KafkaConfiguration(bootstrapServers: "simulated:9092")

        func createTopic(_ name: String, partitions: Int) {
            log.create(name, partitions: partitions)
            topics.append(name)
        }

        func failWrites(count: Int) {
            for partition in topics.flatMap({ log.partitions(of: $0) }) {
                partition.refuse(count, with: RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION)
            }
        }
    }

    /// Prints the name of each scenario and what was observed.
    static func printAll() {
        for (index, scenario) in KafkaScenario.all.enumerated() {
            let world = World(seed: UInt64(index), trace: Trace(prints: false))
            world.run {
                var lines: [String]?
                let process = world.start("scenario") { lines = scenario.observe(on: Cluster(world.log)) }
                world.run(until: .seconds(600)) { process.hasEnded }
                print("# \(scenario.name)")
                for line in lines ?? ["The scenario did not end."] { print(line) }
            }
        }
    }
}
