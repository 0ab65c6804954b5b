import CRdKafka
import Support

extension KafkaConsumer {
    /// Answers an assignment, or adds partitions held back from one: fetching starts at `positions`.
    ///
    /// `partitions`: all, none, or some of them; what is left out is this member's all the same, and is not fetched.
    /// `positions`: for every partition. With the range assignor, partitions that are fetched already continue after what
    /// was handed out of them, so that nothing of that may wait to be processed.
    package func accept(_ partitions: [TopicPartition], positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        if unanswered.first?.kind == .assigned { unanswered.removeFirst() }
        var starts: [TopicPartition: KafkaPosition] = [:]
        for partition in partitions { starts[partition] = positions[partition] ?? .beginning }
        let action = "Taking partitions"
        if !isCooperative { try starts.merge(current(action)) { new, _ in new } }
        try fetch(starts, while: action)
    }

    /// Where the partitions that are fetched continue: after what was handed out of them.
    private func current(_ action: String) throws(KafkaError) -> [TopicPartition: KafkaPosition] {
        guard !fetched.isEmpty else { return [:] }
        let list = KafkaOffsetList(Array(fetched.keys))
        let error = rd_kafka_position(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: action) }
        var starts = fetched
        for (partition, offset) in list.offsets() { starts[partition] = .offset(offset) }
        return starts
    }

    /// Begins to fetch `starts`: with the range assignor in place of what is fetched now, otherwise besides that.
    private func fetch(_ starts: [TopicPartition: KafkaPosition], while action: String) throws(KafkaError) {
        let list = KafkaOffsetList(capacity: starts.count)
        for (partition, position) in starts { list.add(partition, position: position) }
        if isCooperative {
            if let error = KafkaError(
                consuming: rd_kafka_incremental_assign(client.handle, list.pointer), while: action)
            {
                throw error
            }
            fetched.merge(starts) { _, new in new }
            return
        }
        let error = rd_kafka_assign(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: action) }
        fetched = starts
    }

    /// Answers a revocation or a loss.
    ///
    /// `partitions`: also those that are not fetched. With the range assignor all partitions go.
    package func release(_ partitions: [TopicPartition]) throws(KafkaError) {
        if let first = unanswered.first, first.kind != .assigned { unanswered.removeFirst() }
        if isCooperative { return try stopFetching(partitions, while: "Releasing partitions") }
        fetched = [:]
        let error = rd_kafka_assign(client.handle, nil)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Releasing partitions") }
    }

    /// Takes partitions out of what is fetched; only for the cooperative assignor.
    private func stopFetching(_ partitions: some Collection<TopicPartition>, while action: String) throws(KafkaError) {
        // The library refuses to take back what it does not fetch.
        let list = KafkaOffsetList(partitions.filter { fetched[$0] != nil })
        for partition in partitions { fetched[partition] = nil }
        if let error = KafkaError(
            consuming: rd_kafka_incremental_unassign(client.handle, list.pointer), while: action)
        {
            throw error
        }
    }

    /// Continues at other positions of partitions that are fetched; what was fetched of them is forgotten, and those that
    /// are paused stay so.
    ///
    /// The partitions are taken out and put back: the library refuses to seek in a partition that it has given up,
    /// which it does when the broker lacks the offset. Answer the group before, because the library would take this for
    /// the answer.
    package func restart(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        let positions = positions.filter { fetched[$0.key] != nil }
        guard !positions.isEmpty else { return }
        let action = "Restarting partitions"
        if isCooperative {
            try stopFetching(positions.keys, while: action)
            return try fetch(positions, while: action)
        }
        // The range assignor knows all partitions or none: the others continue after what was handed out of them.
        try fetch(current(action).merging(positions) { _, new in new }, while: action)
    }

    /// Whether an error about `offset` of a partition comes from before its last ``restart(_:)``, or from before it was
    /// released.
    package func isOutdated(offset: Int64, of partition: TopicPartition) -> Bool {
        switch fetched[partition] {
        case .offset(let start): offset < start
        case .beginning, .end: false
        case nil: true
        }
    }

    /// Stops fetching `partitions` and forgets what was fetched of them.
    package func pause(_ partitions: [TopicPartition]) throws(KafkaError) {
        let list = KafkaOffsetList(partitions)
        let error = rd_kafka_pause_partitions(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Pausing partitions") }
    }

    /// Goes on fetching partitions that were paused, from the record after the last one handed out.
    package func resume(_ partitions: [TopicPartition]) throws(KafkaError) {
        let list = KafkaOffsetList(partitions)
        let error = rd_kafka_resume_partitions(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Resuming partitions") }
    }

    /// Marks everything before `next` as done; ``commit()`` sends it.
    /// - Returns: `false` when the partition is no longer held.
    @discardableResult
    package func storeOffset(input: Int, partition: Int32, next: Int64) -> Bool {
        guard let topic = table.handle(at: input) else { return false }
        // The library's call takes the last offset done, not the next one.
        return rd_kafka_offset_store(topic, partition, next - 1) == RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// Marks everything before the commit's offset as done; ``commit()`` sends it with its metadata.
    /// - Returns: `false` when the partition is no longer held.
    @discardableResult
    package func storeOffset(input: Int, partition: Int32, _ commit: KafkaCommit) -> Bool {
        let list = KafkaOffsetList(capacity: 1)
        list.add(
            TopicPartition(topic: table.names[input], partition: partition), offset: commit.offset,
            metadata: commit.metadata)
        return rd_kafka_offsets_store(client.handle, list.pointer) == RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// Sends all stored offsets and waits for the answer.
    package func commit() throws(KafkaError) {
        switch rd_kafka_commit(client.handle, nil, 0) {
        case RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR__NO_OFFSET: return
        case let error:
            throw KafkaError(
                error, while: "Committing offsets",
                needs: [KafkaRight(.read, on: .group, client.group)]
                    + table.names.map { KafkaRight(.read, on: .topic, $0) })
        }
    }

    /// Sends all stored offsets without waiting for the answer.
    package func commitSoon() { rd_kafka_commit(client.handle, nil, 1) }

    /// The group's committed offsets; partitions never committed are absent.
    package func committed(_ partitions: [TopicPartition], timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> [TopicPartition:
        Int64]
    {
        try commits(of: partitions, timeoutMilliseconds: timeoutMilliseconds).mapValues(\.offset)
    }

    /// As ``committed(_:timeoutMilliseconds:)``, with what was committed beside the offsets.
    package func commits(
        of partitions: [TopicPartition], timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: KafkaCommit] {
        try client.committed(partitions, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The watermarks that the last fetch of `partition` reported; `nil` before the first.
    package func watermarks(of partition: TopicPartition) -> KafkaOffsetRange? {
        client.cachedWatermarks(of: partition)
    }

    /// Asks the broker which offsets of `partition` it holds.
    package func queryWatermarks(of partition: TopicPartition, timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> KafkaOffsetRange
    {
        try client.watermarks(of: partition, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The first offset of each partition at or after `time` of it; partitions without such a record are absent.
    package func offsets(
        of partitions: [TopicPartition], atOrAfter time: (TopicPartition) -> Timestamp, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        try client.offsets(of: partitions, atOrAfter: time, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }
}
