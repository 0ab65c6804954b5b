import CRdKafka
import Support

/// Reads partitions without a group: for restores, tails and reports.
///
/// Belongs to one thread. Messages taken out of a batch must be destroyed before the reader is.
package final class KafkaReader {
    private let client: KafkaClient
    private let table: KafkaTopicTable
    private let queue: OpaquePointer
    private var isClosed = false
    private var paused: [TopicPartition] = []

    /// Makes a reader that reads nothing yet.
    ///
    /// `group`: whose offsets ``committed(_:)`` asks for; it is not joined.
    package init(
        _ configuration: KafkaConfiguration, group: String? = nil, log: @escaping KafkaLogHandler
    ) throws(KafkaError) {
        client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration,
            properties: Self.properties(group: group ?? Self.group(clientID: configuration.clientID)), log: log)
        table = KafkaTopicTable(client: client.handle, names: [])
        rd_kafka_poll_set_consumer(client.handle)
        guard let queue = rd_kafka_queue_get_consumer(client.handle) else {
            throw KafkaError(.configuration, "The reader has no group; leave group.id alone.", isFatal: true)
        }
        self.queue = queue
    }

    deinit { close() }

    /// The group of readers that ask for no group's offsets: the library wants one, and looks for its coordinator.
    package static func group(clientID: String) -> String { "\(clientID)-reader" }

    static func properties(group: String) -> [(String, String)] {
        // A reader reads much at once, and not for long: fewer requests count for more than memory.
        KafkaConsumer.fetchProperties(waitMilliseconds: 50, partitionKibibytes: 1024) + [
            // Never joined and never committed to; the library wants a name all the same.
            ("group.id", group), ("enable.auto.commit", "false"),
            ("enable.auto.offset.store", "false"), ("auto.offset.reset", "earliest"),
        ]
    }

    /// Ends the reader's connections; its batches must be empty by then.
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

    /// The number that entries of `topic` carry as their input.
    package func index(of topic: String) -> Int { table.insert(topic) }

    /// The topic whose entries carry `index`.
    package func topic(at index: Int) -> String { table.names[index] }

    /// Reads these partitions, and no others, from now on.
    ///
    /// A position that is gone becomes the oldest record.
    package func start(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        let list = KafkaOffsetList(capacity: positions.count)
        for (partition, position) in positions {
            list.add(partition, position: position)
            _ = table.insert(partition.topic)
        }
        let error = rd_kafka_assign(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Reading partitions") }
    }

    /// The library's client.
    var handle: OpaquePointer { client.handle }

    /// The pause between fetches that return no records; `nil` if none is set.
    var idleFetchPause: IdleFetchPause? { client.idleFetchPause }

    /// Stops fetching `partitions` until ``stop()``; the others go on.
    func pause(_ partitions: [TopicPartition]) {
        let list = KafkaOffsetList(partitions)
        rd_kafka_pause_partitions(client.handle, list.pointer)
        paused += partitions
    }

    /// The login that brokers refuse at present; `nil` while one of them lets the reader in.
    package var refusal: KafkaAuthenticationFailure? { client.refusal }

    /// Stops reading.
    package func stop() {
        if !paused.isEmpty {
            // The library keeps a pause beyond the assignment, and would not fetch when these are read again.
            let list = KafkaOffsetList(paused)
            rd_kafka_resume_partitions(client.handle, list.pointer)
            paused = []
        }
        rd_kafka_assign(client.handle, nil)
    }

    /// Appends what has been fetched: blocks for the first message for at most `waitMilliseconds`, then drains.
    package func poll(into batch: KafkaBatch, waitMilliseconds: Int) throws(KafkaError) {
        let before = batch.count
        batch.fill(from: queue, waitMilliseconds: Int32(clamping: waitMilliseconds))
        if batch.count > before, client.isCut { client.noteContact() }
        if let fatal = client.fatalError { throw fatal }
    }

    /// Asks the broker which offsets of `partition` it holds.
    package func watermarks(of partition: TopicPartition, timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> KafkaOffsetRange
    {
        try client.watermarks(of: partition, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The offsets of `partition` as the last fetch reported them; `nil` before the first.
    func watermarksOfFetch(_ partition: TopicPartition) -> KafkaOffsetRange? { client.cachedWatermarks(of: partition) }

    /// The same of many partitions at once; partitions that do not exist are absent.
    package func watermarks(
        of partitions: some Collection<TopicPartition>, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: KafkaOffsetRange] {
        try client.watermarks(of: partitions, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The offsets committed by the reader's group; partitions never committed are absent.
    ///
    /// Not while partitions are being read. A group whose coordinator may not be asked for is an error that says so:
    /// the library itself tells that only to who polls, and otherwise waits until the time is up.
    package func committed(_ partitions: [TopicPartition], timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> [TopicPartition:
        Int64]
    {
        let first = min(1000, timeoutMilliseconds)
        do {
            return try client.committed(partitions, timeoutMilliseconds: Int32(clamping: first)).mapValues(\.offset)
        } catch  where error.code == .timedOut || error.code == .unreachable {
            if let denial = takeDenial() { throw denial }
            guard timeoutMilliseconds > first else { throw error }
        }
        do {
            return try client.committed(partitions, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds - first))
                .mapValues(\.offset)
        } catch {
            throw takeDenial() ?? error
        }
    }

    /// An error of rights among what the client has to say.
    private func takeDenial() -> KafkaError? {
        let batch = makeBatch(capacity: 64)
        batch.fill(from: queue, waitMilliseconds: 0)
        for index in 0..<batch.count {
            if case .failure(_, _, _, let error)? = batch[index], error.code == .access { return error }
        }
        return nil
    }

    /// The first offset of each partition at or after `time` of it; partitions without such a record are absent.
    package func offsets(
        of partitions: [TopicPartition], atOrAfter time: (TopicPartition) -> Timestamp, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        try client.offsets(of: partitions, atOrAfter: time, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The partition count of each topic; topics that do not exist are absent.
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
