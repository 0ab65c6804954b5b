import CRdKafka
import Tracking

extension KafkaConsumer {
    /// Answers an assignment, or adds partitions held back from one: fetching starts at `positions`.
    ///
    /// `partitions`: none, or with the range assignor all of them; what is left out is this member's all the same, and
    /// is not fetched. `positions`: for every partition.
    package func accept(_ partitions: [TopicPartition], positions: [TopicPartition: KafkaPosition]) throws(KafkaError) {
        if unanswered.first?.kind == .assigned { unanswered.removeFirst() }
        let list = KafkaOffsetList(capacity: partitions.count)
        for partition in partitions { list.add(partition, position: positions[partition] ?? .beginning) }
        if isCooperative {
            if let error = KafkaError(
                consuming: rd_kafka_incremental_assign(client.handle, list.pointer), while: "Taking partitions")
            {
                throw error
            }
            fetched.formUnion(partitions)
            return
        }
        let error = rd_kafka_assign(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Taking partitions") }
        fetched = Set(partitions)
    }

    /// Answers a revocation or a loss.
    ///
    /// `partitions`: also those that are not fetched. With the range assignor all partitions go.
    package func release(_ partitions: [TopicPartition]) throws(KafkaError) {
        if let first = unanswered.first, first.kind != .assigned { unanswered.removeFirst() }
        if isCooperative {
            // The library refuses to take back what it does not fetch.
            let list = KafkaOffsetList(partitions.filter { fetched.contains($0) })
            fetched.subtract(partitions)
            if let error = KafkaError(
                consuming: rd_kafka_incremental_unassign(client.handle, list.pointer), while: "Releasing partitions")
            {
                throw error
            }
            return
        }
        fetched = []
        let error = rd_kafka_assign(client.handle, nil)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Releasing partitions") }
    }

    /// Goes on at other positions of partitions already held; what was fetched of them is forgotten.
    package func seek(_ positions: [TopicPartition: KafkaPosition], timeoutMilliseconds: Int = 5000) throws(KafkaError)
    {
        guard !positions.isEmpty else { return }
        let list = KafkaOffsetList(capacity: positions.count)
        for (partition, position) in positions { list.add(partition, position: position) }
        if let error = KafkaError(
            consuming: rd_kafka_seek_partitions(client.handle, list.pointer, Int32(clamping: timeoutMilliseconds)),
            while: "Seeking")
        {
            throw error
        }
        if let error = list.firstError(while: "Seeking") { throw error }
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
        try client.committed(partitions, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The watermarks that the last fetch of `partition` reported; `nil` before the first.
    package func watermarks(of partition: TopicPartition) -> KafkaWatermarks? { client.cachedWatermarks(of: partition) }

    /// Asks the broker which offsets of `partition` it holds.
    package func queryWatermarks(of partition: TopicPartition, timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> KafkaWatermarks
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
