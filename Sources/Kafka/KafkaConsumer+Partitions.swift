import CRdKafka

extension KafkaConsumer {
    /// Answers an assignment, or starts to fetch partitions left out of an earlier answer.
    ///
    /// With the range assignor, partitions already fetched restart after the last polled record, so all polled records
    /// must have been processed.
    ///
    /// `partitions`: may be fewer than assigned; the others remain assigned but are not fetched. `positions`: start of
    /// each partition; the beginning if absent.
    package func accept(_ partitions: [TopicPartition], positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        if unanswered.first?.kind == .assigned { unanswered.removeFirst() }
        var starts: [TopicPartition: KafkaPosition] = [:]
        for partition in partitions { starts[partition] = positions[partition] ?? .beginning }
        let action = "Accepting partitions"
        if !isCooperative { try starts.merge(current(action)) { new, _ in new } }
        try fetch(starts, while: action)
    }

    /// Returns the positions of the fetched partitions, after the last polled records.
    private func current(_ action: String) throws(KafkaError) -> [TopicPartition: KafkaPosition] {
        guard !fetched.isEmpty else { return [:] }
        let list = KafkaOffsetList(Array(fetched.keys))
        try KafkaError.check(rd_kafka_position(client.handle, list.pointer), while: action)
        var starts = fetched
        for (partition, offset) in list.offsets() { starts[partition] = .offset(offset) }
        return starts
    }

    /// Starts to fetch `starts`: in addition to the current partitions, or instead of them with the range assignor.
    private func fetch(_ starts: [TopicPartition: KafkaPosition], while action: String) throws(KafkaError) {
        let list = KafkaOffsetList(starts)
        if isCooperative {
            try KafkaError.check(rd_kafka_incremental_assign(client.handle, list.pointer), while: action)
            fetched.merge(starts) { _, new in new }
        } else {
            try KafkaError.check(rd_kafka_assign(client.handle, list.pointer), while: action)
            fetched = starts
        }
        // librdkafka discards the stored offsets of partitions that it starts to fetch, also if it fetched them before.
        for partition in starts.keys { if let commit = stored[partition] { store(commit, of: partition) } }
    }

    /// Answers a revocation or loss, and ends the partitions' pauses; with the range assignor, releases all partitions.
    package func release(_ partitions: [TopicPartition]) throws(KafkaError) {
        if let first = unanswered.first, first.kind != .assigned { unanswered.removeFirst() }
        // librdkafka keeps pauses across assignments, and would not fetch the partitions after the next assignment.
        try resume(partitions.filter(paused.contains))
        for partition in partitions { stored[partition] = nil }
        if isCooperative { return try stopFetching(partitions, while: "Releasing partitions") }
        fetched = [:]
        stored = [:]
        try KafkaError.check(rd_kafka_assign(client.handle, nil), while: "Releasing partitions")
    }

    /// Stops fetching partitions; cooperative assignor only.
    private func stopFetching(_ partitions: some Collection<TopicPartition>, while action: String) throws(KafkaError) {
        // librdkafka rejects partitions that it does not fetch.
        let list = KafkaOffsetList(partitions.filter { fetched[$0] != nil })
        for partition in partitions { fetched[partition] = nil }
        try KafkaError.check(rd_kafka_incremental_unassign(client.handle, list.pointer), while: action)
    }

    /// Restarts fetched partitions at other positions; discards prefetched records, and keeps pauses.
    ///
    /// Removes and adds the partitions, because librdkafka cannot seek in a partition that failed
    /// with a missing offset. Handle pending rebalances first, because librdkafka would treat a
    /// restart as the answer to a pending rebalance.
    package func restart(_ positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        let positions = positions.filter { fetched[$0.key] != nil }
        guard !positions.isEmpty else { return }
        let action = "Restarting partitions"
        if isCooperative {
            try stopFetching(positions.keys, while: action)
            return try fetch(positions, while: action)
        }
        // With the range assignor, all partitions restart; those not in `positions` after their last polled record.
        try fetch(current(action).merging(positions) { _, new in new }, while: action)
    }

    /// Returns whether an error about `offset` is older than the partition's last ``restart(_:)`` or release.
    package func isOutdated(offset: Int64, of partition: TopicPartition) -> Bool {
        switch fetched[partition] {
        case .offset(let start): offset < start
        case .beginning, .end: false
        case nil: true
        }
    }

    /// Pauses partitions and discards their prefetched records; ignores paused ones.
    package func pause(_ partitions: [TopicPartition]) throws(KafkaError) {
        let list = KafkaOffsetList(partitions.filter { paused.insert($0).inserted })
        guard list.count > 0 else { return }
        try KafkaError.check(rd_kafka_pause_partitions(client.handle, list.pointer), while: "Pausing partitions")
    }

    /// Resumes paused partitions after the last polled records.
    package func resume(_ partitions: [TopicPartition]) throws(KafkaError) {
        guard !partitions.isEmpty else { return }
        paused.subtract(partitions)
        let list = KafkaOffsetList(partitions)
        try KafkaError.check(rd_kafka_resume_partitions(client.handle, list.pointer), while: "Resuming partitions")
    }

    /// Stores the offset of the next record to process, for the next ``commit()``.
    /// - Returns: `false` if the partition is not assigned.
    @discardableResult
    package func storeOffset(input: Int, partition: Int32, _ commit: KafkaCommit) -> Bool {
        let name = TopicPartition(topic: table.names[input], partition: partition)
        guard store(commit, of: name) else { return false }
        stored[name] = commit
        return true
    }

    @discardableResult
    private func store(_ commit: KafkaCommit, of partition: TopicPartition) -> Bool {
        let list = KafkaOffsetList(capacity: 1)
        list.add(partition, offset: commit.offset, metadata: commit.metadata)
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

    /// Returns the group's committed offsets; partitions without one are absent.
    package func commits(
        of partitions: [TopicPartition], timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: KafkaCommit] {
        try client.committed(partitions, timeoutMilliseconds: timeoutMilliseconds)
    }
}
