import CRdKafka

/// A member of a consumer group.
///
/// Belongs to one thread. Rebalances are not answered behind the caller's back: ``poll(into:waitMilliseconds:)`` hands
/// over everything that was fetched before, ``takeRebalances()`` says what changes, and the caller answers each with
/// ``accept(_:positions:)`` or ``release(_:)`` when it is done with what it holds.
package final class KafkaConsumer {
    let client: KafkaClient
    let table: KafkaTopicTable
    private let queue: OpaquePointer
    private var isClosed = false
    /// Changes handed out by ``takeRebalances()`` and not answered yet, oldest first.
    var unanswered: [KafkaRebalance] = []
    /// The partitions that are fetched, of those that the group has given, and where that began.
    var fetched: [TopicPartition: KafkaPosition] = [:]

    /// Joins the group; partitions come later, through ``takeRebalances()``.
    ///
    /// `topics`: full names; ``InputRecord/input`` indexes them. `isCut`: what ``isCut`` says until a broker has
    /// answered.
    package init(
        _ configuration: KafkaConfiguration, group: KafkaGroupSettings, topics: [String], isCut: Bool = false,
        log: @escaping KafkaLogHandler
    ) throws(KafkaError) {
        client = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration, properties: Self.properties(group), rebalances: true, log: log)
        if isCut { client.context.state.withLock { $0.isCut = true } }
        table = KafkaTopicTable(client: client.handle, names: topics)
        rd_kafka_poll_set_consumer(client.handle)
        guard let queue = rd_kafka_queue_get_consumer(client.handle) else {
            throw KafkaError(.configuration, "The consumer has no group; set group.id.", isFatal: true)
        }
        self.queue = queue
        let list = KafkaOffsetList(topics.map { TopicPartition(topic: $0, partition: -1) })
        let error = rd_kafka_subscribe(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Subscribing") }
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
            // A position that the broker no longer has is the worker's decision, not the library's.
            ("auto.offset.reset", "error"),
            ("partition.assignment.strategy", group.assignor.rawValue),
        ]
        return properties
    }

    /// What consumers and readers have in common.
    ///
    /// `partitionKibibytes`: what a request asks for of each partition; the default is a quarter of the library's,
    /// measured as quick, and a backlog takes less memory.
    static func fetchProperties(
        waitMilliseconds: Int, queuedKibibytes: Int = 8192, partitionKibibytes: Int = 256
    ) -> [(String, String)] {
        var properties = [
            ("fetch.wait.max.ms", String(waitMilliseconds)), ("enable.partition.eof", "true"),
            // Bounded by bytes alone: one compressed fetch may unpack to more than any small number of messages, and
            // the partition would then stand still for the back-off.
            ("queued.min.messages", "1000000"), ("queued.max.messages.kbytes", String(queuedKibibytes)),
            ("fetch.message.max.bytes", String(partitionKibibytes << 10)),
        ]
        if rd_kafka_version() >= 0x02_02_00_00 { properties.append(("fetch.queue.backoff.ms", "10")) }
        return properties
    }

    /// A batch for this consumer's messages; it must be emptied before the consumer is closed.
    package func makeBatch(capacity: Int) -> KafkaBatch {
        KafkaBatch(capacity: capacity, topics: table, groupRight: KafkaRight(.read, on: .group, client.group))
    }

    /// Appends what has been fetched: blocks for the first message for at most `waitMilliseconds`, then drains.
    /// - Throws: the client's fatal error.
    package func poll(into batch: KafkaBatch, waitMilliseconds: Int) throws(KafkaError) {
        batch.fill(from: queue, waitMilliseconds: Int32(clamping: waitMilliseconds))
        if let fatal = client.fatalError { throw fatal }
    }

    /// Whether no broker answered when last heard of; ``probe(timeoutMilliseconds:)`` finds out when that ends.
    package var isCut: Bool { client.isCut }

    /// The login that brokers refuse at present; `nil` while one of them lets the consumer in.
    package var refusal: KafkaAuthenticationFailure? { client.refusal }

    /// Asks a broker for a sign of life, which ends ``isCut``.
    package func probe(timeoutMilliseconds: Int) -> Bool {
        // A failed probe is the answer, not an error.
        let answer = try? client.partitionCounts(
            of: Array(table.names.prefix(1)), timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
        return answer != nil
    }

    /// The changes that came with the polls since the last call, oldest first.
    package func takeRebalances() -> [KafkaRebalance] {
        let taken: [KafkaRebalance] = client.context.state.withLock { state in
            guard !state.rebalances.isEmpty else { return [] }
            defer { state.rebalances = [] }
            return state.rebalances
        }
        unanswered += taken
        return taken
    }

    /// Whether a change waits in ``takeRebalances()``; with `lost`, whether partitions were taken away already.
    package func hasRebalance(lost: Bool = false) -> Bool {
        client.context.state.withLock { state in
            lost ? state.rebalances.contains { $0.kind == .lost } : !state.rebalances.isEmpty
        }
    }

    /// Whether the group has taken the partitions away already, be it that a poll has said so or not yet.
    package var arePartitionsLost: Bool { rd_kafka_assignment_lost(client.handle) != 0 || hasRebalance(lost: true) }

    /// Whether the group hands over partitions one by one.
    package var isCooperative: Bool {
        rd_kafka_rebalance_protocol(client.handle).map { String(cString: $0) == "COOPERATIVE" } ?? false
    }

    /// Leaves the group in order, so that the next owner of the partitions can start at once.
    ///
    /// Call ``commit()`` before.
    package func close() {
        guard !isClosed else { return }
        // The library does not leave while a change waits for its answer, which only this code can give.
        _ = takeRebalances()
        while let change = unanswered.first {
            // What cannot be answered is void, because the group has moved on; leaving is right all the same.
            try? change.kind == .assigned ? accept([], positions: [:]) : release(change.partitions)
        }
        client.context.state.withLock { $0.isClosing = true }
        rd_kafka_unsubscribe(client.handle)
        rd_kafka_consumer_close(client.handle)
        end(abruptly: false)
    }

    /// Drops the client without a word to the group, as if the process had died.
    package func abandon() {
        guard !isClosed else { return }
        answerAssignments()
        client.context.state.withLock { $0.isClosing = true }
        end(abruptly: true)
    }

    /// The library does not end while an assignment waits for its answer, not even abruptly; what it takes away needs
    /// none.
    private func answerAssignments() {
        // One may be in the library's queue still.
        let batch = makeBatch(capacity: 64)
        batch.fill(from: queue, waitMilliseconds: 0)
        batch.removeAll()
        _ = takeRebalances()
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
