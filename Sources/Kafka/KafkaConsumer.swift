import CRdKafka

/// Member of a consumer group; used on one thread.
///
/// The caller must first process the records of ``poll(into:waitMilliseconds:)``, and then answer each rebalance of
/// ``drainRebalances()`` with ``accept(_:positions:)`` or ``release(_:)``.
package final class KafkaConsumer {
    package let client: KafkaClient
    let table: KafkaTopicTable
    private let queue: OpaquePointer
    private var isClosed = false
    /// Rebalances returned by ``drainRebalances()`` that the caller has not answered, oldest first.
    var unanswered: [KafkaRebalance] = []
    /// Start positions of the fetched partitions, which are some or all of the assigned ones.
    var fetched: [TopicPartition: KafkaPosition] = [:]
    package internal(set) var paused: Set<TopicPartition> = []
    /// The last stored offsets of the fetched partitions.
    var stored: [TopicPartition: KafkaCommit] = [:]

    /// Creates a consumer that joins the group; assignments follow in ``drainRebalances()``.
    ///
    /// `topics`: full names; ``KafkaMessage/input`` is an index into them. `isDisconnected`:
    /// initial value of ``isDisconnected``.
    package init(
        _ configuration: KafkaConfiguration, group: KafkaGroupSettings, topics: [String], isDisconnected: Bool = false,
        log: @escaping KafkaLogHandler
    ) throws(KafkaError) {
        client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration, properties: Self.properties(group), rebalances: true, log: log)
        if isDisconnected { client.context.state.withLock { $0.isDisconnected = true } }
        table = KafkaTopicTable(client: client.handle, names: topics)
        queue = try client.consumerQueue()
        let list = KafkaOffsetList(topics.map { TopicPartition(topic: $0, partition: -1) })
        try KafkaError.check(rd_kafka_subscribe(client.handle, list.pointer), while: "Subscribing")
    }

    deinit { abandon() }

    static func properties(_ group: KafkaGroupSettings) -> [(String, String)] {
        var properties = Self.fetchProperties(
            waitMilliseconds: group.fetchWaitMilliseconds, queuedKibibytes: group.maximumQueuedKibibytes)
        properties += [
            ("group.id", group.group),
            ("session.timeout.ms", String(group.sessionTimeoutMilliseconds)),
            ("heartbeat.interval.ms", String(max(100, min(3000, group.sessionTimeoutMilliseconds / 4)))),
            ("max.poll.interval.ms", String(group.maximumPollIntervalMilliseconds)),
            ("enable.auto.commit", "false"), ("enable.auto.offset.store", "false"),
            // The worker decides how to handle a missing offset.
            ("auto.offset.reset", "error"),
            ("partition.assignment.strategy", group.assignor.rawValue),
        ]
        return properties
    }

    /// Returns the properties that consumers and readers share.
    ///
    /// `partitionKibibytes`: maximum size of a fetch per partition, in KiB. The default is a quarter of librdkafka's,
    /// measured to be as fast; it needs less memory with a backlog.
    static func fetchProperties(
        waitMilliseconds: Int, queuedKibibytes: Int = 8192, partitionKibibytes: Int = 256
    ) -> [(String, String)] {
        var properties = [
            ("fetch.wait.max.ms", String(waitMilliseconds)), ("enable.partition.eof", "true"),
            // The queue is limited by bytes only. A compressed fetch may contain many messages, so a partition would
            // often exceed a limit of messages, and would then pause for the back-off.
            ("queued.min.messages", "1000000"), ("queued.max.messages.kbytes", String(queuedKibibytes)),
            ("fetch.message.max.bytes", String(partitionKibibytes << 10)),
        ]
        if rd_kafka_version() >= 0x02_02_00_00 { properties.append(("fetch.queue.backoff.ms", "10")) }
        return properties
    }

    /// Creates a batch, which must be emptied before the consumer is closed.
    package func makeBatch(capacity: Int) -> KafkaBatch {
        KafkaBatch(capacity: capacity, topics: table, groupRight: KafkaRight(.read, on: .group, client.group))
    }

    /// Waits up to `waitMilliseconds` for the first message, then appends all fetched ones.
    /// - Throws: the client's fatal error.
    package func poll(into batch: KafkaBatch, waitMilliseconds: Int) throws(KafkaError) {
        batch.fill(from: queue, waitMilliseconds: Int32(clamping: waitMilliseconds))
        if let fatal = client.fatalError { throw fatal }
    }

    /// Removes and returns the rebalances since the last call, oldest first.
    package func drainRebalances() -> [KafkaRebalance] {
        let rebalances: [KafkaRebalance] = client.context.state.withLock { state in
            guard !state.rebalances.isEmpty else { return [] }
            defer { state.rebalances = [] }
            return state.rebalances
        }
        unanswered += rebalances
        return rebalances
    }

    /// Returns whether ``drainRebalances()`` would return a rebalance (if `lost`, of lost
    /// partitions).
    package func hasRebalance(lost: Bool = false) -> Bool {
        client.context.state.withLock { state in
            lost ? state.rebalances.contains { $0.kind == .lost } : !state.rebalances.isEmpty
        }
    }

    /// Whether the partitions were lost, even if no poll has reported the loss.
    package var arePartitionsLost: Bool { rd_kafka_assignment_lost(client.handle) != 0 || hasRebalance(lost: true) }

    /// Whether the group uses the cooperative protocol.
    package var isCooperative: Bool {
        rd_kafka_rebalance_protocol(client.handle).map { String(cString: $0) == "COOPERATIVE" } ?? false
    }

    /// Leaves the group, so that the next owners can start at once; call ``commit()`` first.
    package func close() {
        guard !isClosed else { return }
        // librdkafka does not leave while a rebalance is unanswered.
        _ = drainRebalances()
        while let change = unanswered.first {
            // An answer that fails is obsolete, because the group has rebalanced again.
            try? change.kind == .assigned ? accept([], positions: [:]) : release(change.partitions)
        }
        client.context.state.withLock { $0.isClosing = true }
        rd_kafka_unsubscribe(client.handle)
        rd_kafka_consumer_close(client.handle)
        end(abruptly: false)
    }

    /// Destroys the client without leaving the group, as in a crash of the process.
    package func abandon() {
        guard !isClosed else { return }
        answerAssignments()
        client.context.state.withLock { $0.isClosing = true }
        end(abruptly: true)
    }

    /// Answers pending assignments, because a client with an unanswered one cannot be destroyed.
    private func answerAssignments() {
        // An assignment may still be in librdkafka's queue.
        let batch = makeBatch(capacity: 64)
        batch.fill(from: queue, waitMilliseconds: 0)
        batch.removeAll()
        _ = drainRebalances()
        for change in unanswered where change.kind == .assigned { try? accept([], positions: [:]) }
    }

    private func end(abruptly: Bool) {
        guard !isClosed else { return }
        isClosed = true
        rd_kafka_queue_destroy(queue)
        table.close()
        client.destroy(abruptly: abruptly)
    }
}
