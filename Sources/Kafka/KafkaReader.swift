import CRdKafka

/// Consumer that reads partitions without joining a group; used on one thread.
///
/// Messages detached from a batch must be destroyed before the reader.
package final class KafkaReader {
    package let client: KafkaClient
    let table: KafkaTopicTable
    private let queue: OpaquePointer
    private var isClosed = false
    private var paused: [TopicPartition] = []

    /// Creates a reader; `group` is the group of ``committed(_:timeoutMilliseconds:)``, which is not joined.
    package init(
        _ configuration: KafkaConfiguration, group: String? = nil, log: @escaping KafkaLogHandler
    ) throws(KafkaError) {
        client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration,
            properties: Self.properties(group: group ?? "\(configuration.clientID)-reader"), log: log)
        table = KafkaTopicTable(client: client.handle, names: [])
        queue = try client.consumerQueue()
    }

    deinit { close() }

    static func properties(group: String) -> [(String, String)] {
        // Readers read many records in a short time, so fewer requests matter more than memory.
        KafkaConsumer.fetchProperties(waitMilliseconds: 50, partitionKibibytes: 1024) + [
            // librdkafka requires a group and queries its coordinator; readers never join or
            // commit.
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

    /// Returns the index of a topic, which is the `input` of its entries; adds the topic if it is new.
    package func index(of topic: String) -> Int { table.insert(topic) }

    package func topic(at index: Int) -> String { table.names[index] }

    /// Starts to read these partitions and no others; missing offsets are replaced by the oldest record.
    package func start(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        for partition in positions.keys { _ = table.insert(partition.topic) }
        let list = KafkaOffsetList(positions)
        try KafkaError.check(rd_kafka_assign(client.handle, list.pointer), while: "Reading partitions")
    }

    /// Starts to read more partitions, without affecting others.
    ///
    /// Fails if one of them is already being read. Do not combine with ``start(_:)``, which replaces all partitions.
    package func add(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        for partition in positions.keys { _ = table.insert(partition.topic) }
        let list = KafkaOffsetList(positions)
        try KafkaError.check(rd_kafka_incremental_assign(client.handle, list.pointer), while: "Reading more partitions")
    }

    /// Stops reading partitions, without affecting others; the next polls may still return prefetched records.
    package func remove(_ partitions: some Collection<TopicPartition>) throws(KafkaError) {
        let list = KafkaOffsetList(partitions)
        try KafkaError.check(rd_kafka_incremental_unassign(client.handle, list.pointer), while: "Removing partitions")
    }

    /// Pauses partitions until ``stop()``.
    func pause(_ partitions: [TopicPartition]) {
        let list = KafkaOffsetList(partitions)
        rd_kafka_pause_partitions(client.handle, list.pointer)
        paused += partitions
    }

    /// Stops reading all partitions and ends their pauses.
    package func stop() {
        if !paused.isEmpty {
            // librdkafka keeps pauses across assignments, so it would not fetch these partitions
            // later.
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

    /// Returns the group's committed offsets; partitions without one are absent.
    ///
    /// Do not call while partitions are read, because it polls: librdkafka reports a missing permission on the group to
    /// polls only, and the request itself times out.
    package func committed(_ partitions: [TopicPartition], timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> [TopicPartition:
        Int64]
    {
        let firstTimeout = min(1000, timeoutMilliseconds)
        do {
            return try client.committed(partitions, timeoutMilliseconds: firstTimeout).mapValues(\.offset)
        } catch  where error.code == .timedOut || error.code == .unreachable {
            if let denial = pollDenial() { throw denial }
            guard timeoutMilliseconds > firstTimeout else { throw error }
        }
        do {
            return try client.committed(partitions, timeoutMilliseconds: timeoutMilliseconds - firstTimeout)
                .mapValues(\.offset)
        } catch {
            throw pollDenial() ?? error
        }
    }

    /// Polls once and returns an error about a missing permission, if any.
    private func pollDenial() -> KafkaError? {
        let batch = makeBatch(capacity: 64)
        batch.fill(from: queue, waitMilliseconds: 0)
        for index in 0..<batch.count {
            if case .failure(_, _, _, let error)? = batch[index], error.code == .access { return error }
        }
        return nil
    }
}
