import Kafka

/// A simulated Kafka cluster: topics, consumer groups, and the network to its clients.
final class SimulatedLog {
    unowned let world: World
    private var topics: [String: [LogPartition]] = [:]
    private var groups: [String: ConsumerGroup] = [:]
    private var links: [ObjectIdentifier: Link] = [:]
    private var producerCount = 0

    init(_ world: World) { self.world = world }

    func create(_ topic: String, partitions: Int) {
        topics[topic] = (0..<partitions).map { LogPartition(TopicPartition(topic: topic, partition: Int32($0)), world) }
    }

    /// Copies the topics of another cluster.
    func copyTopics(of other: SimulatedLog) {
        topics = other.topics.mapValues { $0.map { LogPartition(copying: $0, world) } }
    }

    func partitionCount(of topic: String) -> Int? { topics[topic]?.count }

    func partition(_ name: TopicPartition) -> LogPartition? {
        guard let partitions = topics[name.topic], partitions.indices.contains(Int(name.partition)) else { return nil }
        return partitions[Int(name.partition)]
    }

    func partitions(of topic: String) -> [LogPartition] { topics[topic] ?? [] }

    func group(_ name: String) -> ConsumerGroup {
        if let known = groups[name] { return known }
        let group = ConsumerGroup(name, self)
        groups[name] = group
        return group
    }

    /// Returns the network between a process and the cluster.
    func link(of process: SimulatedProcess) -> Link {
        if let known = links[ObjectIdentifier(process)] { return known }
        let link = Link()
        links[ObjectIdentifier(process)] = link
        return link
    }

    /// Assigns the id of a new producer.
    func nextProducer() -> Int {
        producerCount += 1
        return producerCount
    }
}
