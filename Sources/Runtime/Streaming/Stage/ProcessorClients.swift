import Kafka

/// The Kafka clients of a stage worker.
///
/// Belongs to its thread.
final class ProcessorClients {
    let consumer: KafkaConsumer
    let producer: KafkaProducer
    let reader: KafkaReader
    let topics: [KafkaProducer.Topic]
    let batch: KafkaBatch

    /// What the producer's queue holds, in terms of what the loop gives to it for the partitions that are worked on.
    private static let queueFactor = 8

    /// How the clients end.
    enum Ending {
        /// The group is told, and need not wait for the session to time out.
        case leaving
        /// As if the process had died.
        case abruptly
        /// As if the process had died, and without waiting: the library may take a session's time over a consumer whose
        /// broker is silent.
        case inBackground
    }

    /// `isCut`: no broker answered the clients before these.
    init(
        _ plan: ProcessorPlan, inputs: [String], outputs: [String], isCut: Bool = false
    ) throws(KafkaError) {
        let log = WorkerLog.handler(plan.frame.logger)
        var producerSettings = KafkaProducerSettings()
        producerSettings.lingerMilliseconds = plan.settings.lingerMilliseconds
        // The loop bounds what the partitions give to it; beyond that is room for those that are parked.
        producerSettings.maximumQueuedRecords = plan.settings.maximumUnacknowledgedRecords * Self.queueFactor
        producerSettings.maximumQueuedKibibytes = (plan.settings.maximumUnacknowledgedBytes >> 10) * Self.queueFactor
        producer = try KafkaProducer(plan.frame.kafka, settings: producerSettings, log: log)
        var topics: [KafkaProducer.Topic] = []
        for name in outputs { topics.append(try producer.topic(name)) }
        self.topics = topics
        reader = try KafkaReader(plan.frame.kafka, log: log)
        consumer = try KafkaConsumer(plan.frame.kafka, group: Self.group(plan), topics: inputs, isCut: isCut, log: log)
        batch = consumer.makeBatch(capacity: plan.settings.maximumBatchRecords)
    }

    /// How the worker is a member of its group.
    static func group(_ plan: ProcessorPlan) -> KafkaGroupSettings {
        // With several inputs the same partition number of each has to come to the same process, which only range does.
        let assignor: KafkaAssignor =
            plan.layout.inputs.count == 1 && KafkaLibrary.supportsCooperativeRebalancing ? .cooperativeSticky : .range
        var group = KafkaGroupSettings(group: plan.frame.group, assignor: assignor)
        group.sessionTimeoutMilliseconds = plan.settings.sessionTimeoutMilliseconds
        group.maximumPollIntervalMilliseconds = plan.settings.maximumPollIntervalMilliseconds
        return group
    }

    /// Ends all clients, the producer first: what it still holds is forgotten, and an ordered stop has flushed it.
    func close(_ ending: Ending) {
        producer.close(abruptly: true)
        batch.removeAll()
        reader.close()
        switch ending {
        case .leaving: consumer.close()
        case .abruptly: consumer.abandon()
        case .inBackground:
            // It is not used elsewhere any more.
            nonisolated(unsafe) let consumer = consumer
            WorkerThread.start { consumer.abandon() }
        }
    }
}
