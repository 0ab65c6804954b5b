import Kafka
import Processing

/// The Kafka clients of a processor's worker; used on the worker's thread only.
final class ProcessorClients {
    let consumer: KafkaConsumer
    let producer: KafkaProducer
    let reader: KafkaReader
    let topics: [KafkaProducer.Topic]
    let batch: KafkaBatch

    /// Capacity of the producer's queue, as a multiple of the limit for partitions that are not parked.
    private static let queueFactor = 8

    enum Ending {
        /// Leaves the group, so that the next owner need not wait for the session timeout.
        case leaving
        /// Stays a member until the session timeout, as if the process had crashed.
        case abruptly
        /// As ``abruptly``, without waiting, because librdkafka may need as long as a session timeout to destroy a
        /// consumer whose broker does not respond.
        case inBackground
    }

    /// Creates the clients; `isDisconnected`: whether no broker answered the previous ones.
    init(
        _ context: WorkerContext, layout: ProcessorLayout, settings: ProcessorWorkerSettings,
        isDisconnected: Bool = false
    ) throws(KafkaError) {
        let log = WorkerLog.handler(context.logger)
        var producerSettings = KafkaProducerSettings()
        producerSettings.lingerMilliseconds = settings.lingerMilliseconds
        // The loop limits the outputs of active partitions; the rest of the queue is for parked ones.
        producerSettings.maximumQueuedRecords = settings.maximumUnacknowledgedRecords * Self.queueFactor
        producerSettings.maximumQueuedKibibytes = (settings.maximumUnacknowledgedBytes >> 10) * Self.queueFactor
        producer = try KafkaProducer(context.kafka, settings: producerSettings, log: log)
        var topics: [KafkaProducer.Topic] = []
        for name in context.outputNames { topics.append(try producer.topic(name)) }
        self.topics = topics
        reader = try KafkaReader(context.kafka, log: log)
        // With several inputs, one process must get the same partition number of each, which only range ensures.
        let assignor: KafkaAssignor =
            layout.inputs.count == 1 && KafkaLibrary.supportsCooperativeRebalancing ? .cooperativeSticky : .range
        var group = KafkaGroupSettings(group: context.group, assignor: assignor)
        group.sessionTimeoutMilliseconds = settings.sessionTimeoutMilliseconds
        group.maximumPollIntervalMilliseconds = settings.maximumPollIntervalMilliseconds
        consumer = try KafkaConsumer(
            context.kafka, group: group, topics: context.inputNames, isDisconnected: isDisconnected, log: log)
        batch = consumer.makeBatch(capacity: settings.maximumBatchRecords)
    }

    /// Closes all clients and discards queued outputs; a graceful stop has flushed them before.
    func close(_ ending: Ending) {
        producer.close(abruptly: true)
        batch.removeAll()
        reader.close()
        switch ending {
        case .leaving: consumer.close()
        case .abruptly: consumer.abandon()
        case .inBackground:
            // Safe, because only the new thread uses the consumer from here on.
            nonisolated(unsafe) let consumer = consumer
            WorkerThread.start { consumer.abandon() }
        }
    }
}
