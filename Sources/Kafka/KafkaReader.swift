import CRdKafka
import Support

/// Reads partitions without joining a group; used on one thread.
///
/// Messages detached from a batch must be destroyed before the reader.
package final class KafkaReader {
    private let client: KafkaClient
    private let table: KafkaTopicTable
    private let queue: OpaquePointer
    private var isClosed = false
    private var paused: [TopicPartition] = []

    /// `group`: the group of ``committed(_:timeoutMilliseconds:)``; it is not joined.
    package init(
        _ configuration: KafkaConfiguration, group: String? = nil, log: @escaping KafkaLogHandler
    ) throws(KafkaError) {
        client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration,
            properties: Self.properties(group: group ?? Self.group(clientID: configuration.clientID)), log: log)
        table = KafkaTopicTable(client: client.handle, names: [])
        rd_kafka_poll_set_consumer(client.handle)
        guard let queue = rd_kafka_queue_get_consumer(client.handle) else {
            throw KafkaError(.configuration, "The reader has no group; do not set group.id.", isFatal: true)
        }
        self.queue = queue
    }

    deinit { close() }

    /// The default group of readers: librdkafka requires one and queries its coordinator.
    package static func group(clientID: String) -> String { "\(clientID)-reader" }

    static func properties(group: String) -> [(String, String)] {
        // Readers read much for a short time, so fewer requests matter more than memory.
        KafkaConsumer.fetchProperties(waitMilliseconds: 50, partitionKibibytes: 1024) + [
            // Required by librdkafka, but never joined or committed to.
            ("group.id", group), ("enable.auto.commit", "false"),
            ("enable.auto.offset.store", "false"), ("auto.offset.reset", "earliest"),
        ]
    }

    /// Closes the reader; its batches must be empty.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        rd_kafka_queue_destroy(queue)
        table.close()
        client.destroy(abruptly: true)
    }

    package func makeBatch(capacity: Int) -> KafkaBatch {
        KafkaBatch(capacity: capacity, topics: table, groupRight: KafkaRight(.describe, on: .group, client.group))
    }

    /// Returns the topic's index, which its entries have as input.
    package func index(of topic: String) -> Int { table.insert(topic) }

    /// Returns the topic with this index.
    package func topic(at index: Int) -> String { table.names[index] }

    /// Starts to read these partitions and no others; missing offsets are replaced by the oldest record.
    package func start(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        let list = KafkaOffsetList(capacity: positions.count)
        for (partition, position) in positions {
            list.add(partition, position: position)
            _ = table.insert(partition.topic)
        }
        let error = rd_kafka_assign(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Reading partitions") }
    }

    var handle: OpaquePointer { client.handle }

    /// `nil` if no pause is set.
    var idleFetchPause: IdleFetchPause? { client.idleFetchPause }

    /// Pauses partitions until ``stop()``.
    func pause(_ partitions: [TopicPartition]) {
        let list = KafkaOffsetList(partitions)
        rd_kafka_pause_partitions(client.handle, list.pointer)
        paused += partitions
    }

    /// The current rejection of the login by all brokers.
    package var authenticationFailure: KafkaAuthenticationFailure? { client.authenticationFailure }

    /// Stops reading.
    package func stop() {
        if !paused.isEmpty {
            // librdkafka keeps a pause beyond the assignment and would not fetch these partitions later.
            let list = KafkaOffsetList(paused)
            rd_kafka_resume_partitions(client.handle, list.pointer)
            paused = []
        }
        rd_kafka_assign(client.handle, nil)
    }

    /// Waits up to `waitMilliseconds` for the first message, then appends all fetched ones.
    package func poll(into batch: KafkaBatch, waitMilliseconds: Int) throws(KafkaError) {
        let before = batch.count
        batch.fill(from: queue, waitMilliseconds: Int32(clamping: waitMilliseconds))
        if batch.count > before, client.isDisconnected { client.markConnected() }
        if let fatal = client.fatalError { throw fatal }
    }

    /// Queries the offset range of a partition.
    package func offsetRange(of partition: TopicPartition, timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> KafkaOffsetRange
    {
        try client.offsetRange(of: partition, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The offset range reported by the last fetch; `nil` before the first.
    func cachedOffsetRange(of partition: TopicPartition) -> KafkaOffsetRange? {
        client.cachedOffsetRange(of: partition)
    }

    /// Queries the offset ranges of partitions; missing partitions are absent.
    package func offsetRanges(
        of partitions: some Collection<TopicPartition>, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: KafkaOffsetRange] {
        try client.offsetRanges(of: partitions, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// Returns the group's committed offsets; other partitions are absent.
    ///
    /// Do not call while partitions are read. Polls for a missing permission on the group, because librdkafka reports
    /// it to polls only and otherwise times out.
    package func committed(_ partitions: [TopicPartition], timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> [TopicPartition:
        Int64]
    {
        let first = min(1000, timeoutMilliseconds)
        do {
            return try client.committed(partitions, timeoutMilliseconds: Int32(clamping: first)).mapValues(\.offset)
        } catch  where error.code == .timedOut || error.code == .unreachable {
            if let denial = pollDenial() { throw denial }
            guard timeoutMilliseconds > first else { throw error }
        }
        do {
            return try client.committed(partitions, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds - first))
                .mapValues(\.offset)
        } catch {
            throw pollDenial() ?? error
        }
    }

    /// Polls for an error about a missing permission.
    private func pollDenial() -> KafkaError? {
        let batch = makeBatch(capacity: 64)
        batch.fill(from: queue, waitMilliseconds: 0)
        for index in 0..<batch.count {
            if case .failure(_, _, _, let error)? = batch[index], error.code == .access { return error }
        }
        return nil
    }

    /// Returns the first offset of each partition at or after its `time`; others are absent.
    package func offsets(
        of partitions: [TopicPartition], atOrAfter time: (TopicPartition) -> Timestamp, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        try client.offsets(of: partitions, atOrAfter: time, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// Returns the partition counts of topics; missing topics are absent.
    package func partitionCounts(of topics: [String], timeoutMilliseconds: Int = 15_000) throws(KafkaError) -> [String:
        Int]
    {
        do {
            return try client.partitionCounts(of: topics, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
        } catch {
            throw client.explained(error, polls: false)
        }
    }
}
