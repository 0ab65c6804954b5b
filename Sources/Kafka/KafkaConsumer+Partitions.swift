import CRdKafka
import Support

extension KafkaConsumer {
    /// Answers an assignment, or starts to fetch partitions left out of an earlier answer.
    ///
    /// With the range assignor, partitions already fetched restart after the last polled record, so all polled records
    /// must have been processed.
    ///
    /// `partitions`: may be fewer than assigned; the others remain assigned but are not fetched. `positions`: where to
    /// start fetching each partition.
    package func accept(_ partitions: [TopicPartition], positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        if unanswered.first?.kind == .assigned { unanswered.removeFirst() }
        var starts: [TopicPartition: KafkaPosition] = [:]
        for partition in partitions { starts[partition] = positions[partition] ?? .beginning }
        let action = "Accepting partitions"
        if !isCooperative { try starts.merge(current(action)) { new, _ in new } }
        try fetch(starts, while: action)
    }

    /// Positions of the fetched partitions, after the last polled records.
    private func current(_ action: String) throws(KafkaError) -> [TopicPartition: KafkaPosition] {
        guard !fetched.isEmpty else { return [:] }
        let list = KafkaOffsetList(Array(fetched.keys))
        let error = rd_kafka_position(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: action) }
        var starts = fetched
        for (partition, offset) in list.offsets() { starts[partition] = .offset(offset) }
        return starts
    }

    /// Starts to fetch `starts`: in addition to the current partitions, or instead of them with the range assignor.
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

    /// Answers a revocation or loss; with the range assignor, releases all partitions.
    package func release(_ partitions: [TopicPartition]) throws(KafkaError) {
        if let first = unanswered.first, first.kind != .assigned { unanswered.removeFirst() }
        if isCooperative { return try stopFetching(partitions, while: "Releasing partitions") }
        fetched = [:]
        let error = rd_kafka_assign(client.handle, nil)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Releasing partitions") }
    }

    /// Stops fetching partitions; cooperative assignor only.
    private func stopFetching(_ partitions: some Collection<TopicPartition>, while action: String) throws(KafkaError) {
        // librdkafka rejects partitions that it does not fetch.
        let list = KafkaOffsetList(partitions.filter { fetched[$0] != nil })
        for partition in partitions { fetched[partition] = nil }
        if let error = KafkaError(
            consuming: rd_kafka_incremental_unassign(client.handle, list.pointer), while: action)
        {
            throw error
        }
    }

    /// Restarts fetched partitions at other positions; discards prefetched records, and keeps pauses.
    ///
    /// Removes and adds the partitions, because librdkafka cannot seek in a partition that failed with a missing
    /// offset. Handle pending rebalances first: librdkafka would interpret a restart as the reply to one.
    package func restart(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        let positions = positions.filter { fetched[$0.key] != nil }
        guard !positions.isEmpty else { return }
        let action = "Restarting partitions"
        if isCooperative {
            try stopFetching(positions.keys, while: action)
            return try fetch(positions, while: action)
        }
        // With the range assignor all partitions restart; the others after their last polled records.
        try fetch(current(action).merging(positions) { _, new in new }, while: action)
    }

    /// Whether an error about `offset` is older than the partition's last ``restart(_:)`` or release.
    package func isOutdated(offset: Int64, of partition: TopicPartition) -> Bool {
        switch fetched[partition] {
        case .offset(let start): offset < start
        case .beginning, .end: false
        case nil: true
        }
    }

    /// Pauses partitions and discards their prefetched records.
    package func pause(_ partitions: [TopicPartition]) throws(KafkaError) {
        let list = KafkaOffsetList(partitions)
        let error = rd_kafka_pause_partitions(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Pausing partitions") }
    }

    /// Resumes paused partitions after the last polled records.
    package func resume(_ partitions: [TopicPartition]) throws(KafkaError) {
        let list = KafkaOffsetList(partitions)
        let error = rd_kafka_resume_partitions(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Resuming partitions") }
    }

    /// Stores an offset for the next ``commit()``.
    /// - Returns: `false` if the partition is not assigned.
    @discardableResult
    package func storeOffset(input: Int, partition: Int32, next: Int64) -> Bool {
        guard let topic = table.handle(at: input) else { return false }
        // The call expects the last processed offset, not the next one.
        return rd_kafka_offset_store(topic, partition, next - 1) == RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// Stores an offset and metadata for the next ``commit()``.
    /// - Returns: `false` if the partition is not assigned.
    @discardableResult
    package func storeOffset(input: Int, partition: Int32, _ commit: KafkaCommit) -> Bool {
        let list = KafkaOffsetList(capacity: 1)
        list.add(
            TopicPartition(topic: table.names[input], partition: partition), offset: commit.offset,
            metadata: commit.metadata)
        return rd_kafka_offsets_store(client.handle, list.pointer) == RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// Commits all stored offsets and waits for the response.
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

    /// Commits all stored offsets without waiting.
    package func commitSoon() { rd_kafka_commit(client.handle, nil, 1) }

    /// Returns the group's committed offsets; other partitions are absent.
    package func committed(_ partitions: [TopicPartition], timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> [TopicPartition:
        Int64]
    {
        try commits(of: partitions, timeoutMilliseconds: timeoutMilliseconds).mapValues(\.offset)
    }

    /// Like ``committed(_:timeoutMilliseconds:)``, with metadata.
    package func commits(
        of partitions: [TopicPartition], timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: KafkaCommit] {
        try client.committed(partitions, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The offset range reported by the last fetch; `nil` before the first.
    package func cachedOffsetRange(of partition: TopicPartition) -> KafkaOffsetRange? {
        client.cachedOffsetRange(of: partition)
    }

    /// Queries the offset range of a partition.
    package func queryOffsetRange(of partition: TopicPartition, timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> KafkaOffsetRange
    {
        try client.offsetRange(of: partition, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// Returns the first offset of each partition at or after its `time`; others are absent.
    package func offsets(
        of partitions: [TopicPartition], atOrAfter time: (TopicPartition) -> Timestamp, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        try client.offsets(of: partitions, atOrAfter: time, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }
}
