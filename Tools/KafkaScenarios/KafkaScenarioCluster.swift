import Kafka

/// A cluster on which the scenarios run: librdkafka's mock cluster, or the simulated log.
package protocol KafkaScenarioCluster: AnyObject {
    var configuration: KafkaConfiguration { get }
    func createTopic(_ name: String, partitions: Int)
    /// Answers the next `count` writes with `NOT_LEADER_OR_FOLLOWER`.
    func failWrites(count: Int)
}
