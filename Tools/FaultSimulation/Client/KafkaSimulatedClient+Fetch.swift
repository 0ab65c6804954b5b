import CRdKafka
import Kafka

extension KafkaSimulatedClient {
    /// Maximum records of one response, and records in the queue above which a partition is not fetched.
    private static let fetchLimit = 500
    private static let queueLimit = 2000
    /// Longest wait of the cluster for records.
    private static let longestWait = Int64.seconds(1)

    /// Replaces the partitions that are read.
    func assign(_ offsets: [(TopicPartition, Int64)]) {
        for partition in fetched.values { partition.version += 1 }
        fetched = [:]
        add(offsets)
        membership?.handleAnswer(added: offsets.map(\.0), isComplete: true)
    }

    /// Adds partitions.
    /// - Returns: `false` if one of them is read already.
    func incrementalAssign(_ offsets: [(TopicPartition, Int64)]) -> Bool {
        guard offsets.allSatisfy({ fetched[$0.0] == nil }) else { return false }
        add(offsets)
        membership?.handleAnswer(added: offsets.map(\.0), isComplete: false)
        return true
    }

    /// Removes partitions.
    /// - Returns: `false` if one of them is not read.
    func incrementalUnassign(_ names: [TopicPartition]) -> Bool {
        guard names.allSatisfy({ fetched[$0] != nil }) else { return false }
        for name in names {
            fetched[name]?.version += 1
            fetched[name] = nil
        }
        membership?.handleAnswer(added: [], isComplete: false)
        return true
    }

    private func add(_ offsets: [(TopicPartition, Int64)]) {
        for (name, offset) in offsets {
            let partition = FetchedPartition(name, topic(name.topic), at: offset)
            partition.isPaused = pausedNames.contains(name)
            fetched[name] = partition
            fetch(partition)
        }
    }

    /// Pauses partitions and discards their queued records.
    func pause(_ names: [TopicPartition]) {
        for name in names {
            pausedNames.insert(name)
            guard let partition = fetched[name], !partition.isPaused else { continue }
            partition.isPaused = true
            partition.restart(at: partition.position ?? partition.next)
        }
    }

    func resume(_ names: [TopicPartition]) {
        for name in names {
            pausedNames.remove(name)
            guard let partition = fetched[name], partition.isPaused else { continue }
            partition.isPaused = false
            partition.restart(at: partition.position ?? partition.next)
            fetch(partition)
        }
    }

    /// Requests the next records of a partition, if it may have more.
    func fetch(_ partition: FetchedPartition) {
        guard !isGone, connection.isOpen, !partition.isPaused, !partition.isFetching,
            partition.queued < Self.queueLimit, fetched[partition.name] === partition
        else { return }
        partition.isFetching = true
        let (version, offset) = (partition.version, partition.next)
        // The first fetch at an offset finds the end soon; later ones wait longer, which saves events.
        let wait = partition.reportedEnd == offset ? Self.longestWait : configuration.duration("fetch.wait.max.ms")
        connection.request { [self] respond in
            log.fetch(partition.name, from: offset, reset: configuration.text("auto.offset.reset"), wait: wait) {
                result in
                respond { [self] in handle(result, of: partition, version) }
            }
        }
    }

    private func handle(_ result: FetchResult, of partition: FetchedPartition, _ version: Int) {
        guard !isGone, partition.version == version, fetched[partition.name] === partition else { return }
        partition.isFetching = false
        switch result {
        case .failed(RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, let offset):
            queue.append(.failure(partition, version: version, RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, offset))
            return
        case .failed:
            schedule(after: .milliseconds(100)) { [self] in fetch(partition) }
            return
        case .records(let records, let start, let range):
            ranges[partition.name] = range
            partition.next = max(start, partition.next)
            for record in records {
                partition.next = record.offset + 1
                partition.queued += 1
                queue.append(.record(partition, version: version, record))
            }
            if records.isEmpty, partition.next >= range.high, partition.reportedEnd != partition.next {
                partition.reportedEnd = partition.next
                queue.append(.end(partition, version: version, partition.next))
            }
        }
        fetch(partition)
    }

    /// Maximum records of one response.
    static var recordsPerFetch: Int { fetchLimit }
}

/// Result of a fetch of one partition.
enum FetchResult {
    /// Records from an offset on, and the offsets that the partition has.
    case records([LogRecord], from: Int64, OffsetRange)
    case failed(rd_kafka_resp_err_t, offset: Int64)
}

extension SimulatedLog {
    /// Responds with the records from an offset on, or without records after `wait`.
    func fetch(
        _ name: TopicPartition, from offset: Int64, reset: String, wait: Int64,
        respond: @escaping (FetchResult) -> Void
    ) {
        guard let partition = partition(name) else {
            return respond(.failed(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, offset: offset))
        }
        var start = offset
        switch Int32(clamping: offset) {
        case RD_KAFKA_OFFSET_END: start = partition.highWatermark
        case let special where special < 0: start = partition.low
        default: break
        }
        guard (partition.low...partition.highWatermark).contains(start) else {
            // A follower that has just become the leader may not know the newest high watermark yet.
            if start > partition.highWatermark, start <= partition.end {
                return respond(.failed(RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE, offset: offset))
            }
            if reset == "earliest" || reset == "smallest" {
                return fetch(name, from: partition.low, reset: reset, wait: wait, respond: respond)
            }
            return respond(.failed(RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, offset: offset))
        }
        var isDone = false
        let finish = {
            guard !isDone else { return }
            isDone = true
            let records = Array(partition.records(from: start, limit: KafkaSimulatedClient.recordsPerFetch))
            respond(
                .records(records, from: start, OffsetRange(low: partition.low, high: partition.highWatermark)))
        }
        if start < partition.highWatermark, !partition.records(from: start, limit: 1).isEmpty { return finish() }
        partition.onNextRecord(finish)
        world.schedule(after: wait, finish)
    }
}
