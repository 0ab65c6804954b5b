import CRdKafka
import Kafka

/// Queue of an idempotent producer: batches by partition, with up to five of each on their way.
final class ProducerBuffer {
    private struct Waiting {
        var record: LogRecord
        var token: UnsafeMutableRawPointer?
    }

    private final class Batch {
        let records: [LogRecord]
        let tokens: [UnsafeMutableRawPointer?]

        init(_ waiting: ArraySlice<Waiting>) {
            records = waiting.map(\.record)
            tokens = waiting.map(\.token)
        }
    }

    private final class Partition {
        let name: TopicPartition
        let topic: ClientTopic
        var waiting: [Waiting] = []
        var batches: [Batch] = []
        var sequence = 0
        /// Whether a failed request is repeated soon, so that nothing else is sent.
        var isRetrying = false
        var isLingering = false

        init(_ name: TopicPartition, _ topic: ClientTopic) {
            self.name = name
            self.topic = topic
        }
    }

    private static let batchLimit = 1000
    private static let inFlightLimit = 5

    private unowned let client: KafkaSimulatedClient
    private let id: Int
    private var partitions: [TopicPartition: Partition] = [:]
    private var order: [Partition] = []
    /// Records whose delivery was not reported yet.
    private(set) var outstanding = 0

    init(_ client: KafkaSimulatedClient) {
        self.client = client
        id = client.log.nextProducer()
    }

    /// Queues a record; `make` creates it with its place in the producer's sequence.
    /// - Returns: `false` if the queue is full.
    func add(
        _ name: TopicPartition, token: UnsafeMutableRawPointer?, _ make: (LogRecord.Sequence) -> LogRecord
    ) -> Bool {
        guard outstanding < client.configuration.integer("queue.buffering.max.messages") else { return false }
        let partition = partition(name)
        partition.waiting.append(
            Waiting(record: make(LogRecord.Sequence(producer: id, number: partition.sequence)), token: token))
        partition.sequence += 1
        outstanding += 1
        if partition.waiting.count >= Self.batchLimit {
            send(partition)
        } else if !partition.isLingering {
            partition.isLingering = true
            client.schedule(after: client.configuration.duration("linger.ms")) { [self] in
                partition.isLingering = false
                send(partition)
            }
        }
        return true
    }

    private func partition(_ name: TopicPartition) -> Partition {
        if let known = partitions[name] { return known }
        let partition = Partition(name, client.topic(name.topic))
        partitions[name] = partition
        order.append(partition)
        return partition
    }

    /// Sends all queued records without waiting for more.
    func flush() {
        for partition in order { send(partition) }
    }

    private func send(_ partition: Partition) {
        while !partition.waiting.isEmpty, partition.batches.count < Self.inFlightLimit {
            let batch = Batch(partition.waiting.prefix(nextBatchSize(of: partition)))
            partition.waiting.removeFirst(batch.records.count)
            partition.batches.append(batch)
            if !partition.isRetrying { transmit(batch, of: partition) }
        }
    }

    /// Draws the size of the next request; librdkafka may send while the worker is still adding records.
    private func nextBatchSize(of partition: Partition) -> Int {
        let count = min(partition.waiting.count, Self.batchLimit)
        return client.world.random.chance(0.2) ? 1 + client.world.random.index(below: count) : count
    }

    private func transmit(_ batch: Batch, of partition: Partition) {
        client.process.handleWrite()
        client.connection.request { [log = client.log] respond in
            guard let target = log.partition(partition.name) else { return }
            target.produce(batch.records) { result in
                respond { [weak self] in self?.handle(result, of: batch, partition) }
            }
        }
    }

    private func handle(_ result: LogPartition.ProduceResult, of batch: Batch, _ partition: Partition) {
        guard !client.isGone, let index = partition.batches.firstIndex(where: { $0 === batch }) else { return }
        switch result {
        case .written(let offset):
            partition.batches.remove(at: index)
            report(batch, of: partition, offset: offset, RD_KAFKA_RESP_ERR_NO_ERROR)
            send(partition)
        case .failed(RD_KAFKA_RESP_ERR_DUPLICATE_SEQUENCE_NUMBER):
            partition.batches.remove(at: index)
            report(batch, of: partition, offset: -1, RD_KAFKA_RESP_ERR_NO_ERROR)
            send(partition)
        case .failed:
            guard !partition.isRetrying else { return }
            partition.isRetrying = true
            client.schedule(after: .milliseconds(100)) { [self] in
                partition.isRetrying = false
                for batch in partition.batches { transmit(batch, of: partition) }
                send(partition)
            }
        }
    }

    private func report(_ batch: Batch, of partition: Partition, offset: Int64, _ error: rd_kafka_resp_err_t) {
        client.queue.append(
            .deliveries(
                batch.tokens.enumerated().map { index, token in
                    ClientQueue.Delivery(
                        topic: partition.topic, partition: partition.name.partition, token: token,
                        offset: offset < 0 ? -1 : offset + Int64(index), error: error)
                }))
    }

    /// Counts reports that the worker has polled.
    func countReported(_ count: Int) { outstanding -= count }

    /// Sends everything unanswered again, after the connection was opened again.
    func resend() {
        for partition in order where !partition.isRetrying {
            for batch in partition.batches { transmit(batch, of: partition) }
        }
    }

    func close() {
        partitions = [:]
        order = []
        outstanding = 0
    }
}
