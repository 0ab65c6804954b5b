import CRdKafka
import Support

/// State and queries that all clients have; queries block until the response or the timeout.
package protocol KafkaQueries {
    var client: KafkaClient { get }
    /// Topics of the client, for ``probe(timeoutMilliseconds:)``.
    var topicNames: [String] { get }
}

extension KafkaConsumer: KafkaQueries { package var topicNames: [String] { table.names } }
extension KafkaProducer: KafkaQueries {}
extension KafkaReader: KafkaQueries { package var topicNames: [String] { table.names } }
extension KafkaAdmin: KafkaQueries { package var topicNames: [String] { [] } }

extension KafkaQueries {
    /// Whether all brokers were reported down and none has responded since, for example to a probe.
    package var isDisconnected: Bool { client.isDisconnected }

    /// The client's rejections, if all brokers are down and the last rejection is recent; else
    /// `nil`.
    package var authenticationFailure: KafkaAuthenticationFailure? { client.authenticationFailure }

    /// Sends a request to a broker; a response clears ``isDisconnected``.
    ///
    /// A client without topics sends nothing.
    /// - Returns: whether a broker responded; without topics, the opposite of ``isDisconnected``.
    package func probe(timeoutMilliseconds: Int) -> Bool {
        guard let topic = topicNames.first else { return !isDisconnected }
        return (try? client.layouts(of: [topic], timeoutMilliseconds)) != nil
    }

    /// Returns the partition counts of `topics`, or of all topics; missing topics are absent.
    package func partitionCounts(
        of topics: [String]? = nil, timeoutMilliseconds: Int = 15_000
    ) throws(KafkaError) -> [String: Int] {
        do {
            return try client.layouts(of: topics, timeoutMilliseconds).mapValues(\.partitions)
        } catch {
            throw client.explained(error)
        }
    }

    /// Queries the broker for the offset range of a partition.
    package func offsetRange(
        of partition: TopicPartition, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> KafkaOffsetRange {
        var (low, high): (Int64, Int64) = (0, 0)
        let error = rd_kafka_query_watermark_offsets(
            client.handle, partition.topic, partition.partition, &low, &high, Int32(clamping: timeoutMilliseconds))
        if error != RD_KAFKA_RESP_ERR_NO_ERROR { try client.throwDenial(of: [partition], error, timeoutMilliseconds) }
        try KafkaError.check(error, while: "Looking up the offsets of \(partition)")
        return KafkaOffsetRange(low: low, high: high)
    }

    /// Returns the offset range reported by the partition's last fetch; `nil` before the first.
    package func cachedOffsetRange(of partition: TopicPartition) -> KafkaOffsetRange? {
        var (low, high): (Int64, Int64) = (0, 0)
        let error = rd_kafka_get_watermark_offsets(client.handle, partition.topic, partition.partition, &low, &high)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, high >= 0 else { return nil }
        return KafkaOffsetRange(low: max(low, 0), high: high)
    }

    /// Queries the offset ranges of partitions with two look-ups; partitions without a reported offset are absent.
    package func offsetRanges(
        of partitions: some Collection<TopicPartition>, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: KafkaOffsetRange] {
        // These special times mean the first record and the end.
        let lows = try client.listOffsets(partitions, timeoutMilliseconds) { _ in Int64(RD_KAFKA_OFFSET_BEGINNING) }
        let highs = try client.listOffsets(partitions, timeoutMilliseconds) { _ in Int64(RD_KAFKA_OFFSET_END) }
        var ranges: [TopicPartition: KafkaOffsetRange] = [:]
        for (partition, low) in lows {
            ranges[partition] = KafkaOffsetRange(low: low, high: max(low, highs[partition] ?? low))
        }
        return ranges
    }

    /// Returns each partition's first offset at or after its `time`, if there is one.
    package func offsets(
        of partitions: [TopicPartition], atOrAfter time: (TopicPartition) -> Timestamp, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        try client.listOffsets(partitions, timeoutMilliseconds) { max(0, time($0).milliseconds) }
    }
}

extension KafkaClient {
    struct TopicLayout {
        var partitions: Int
        /// The smallest number of replicas of a partition.
        var replicas: Int
    }

    /// Returns the layouts of `topics` (`nil` for all); missing topics are absent.
    func layouts(of topics: [String]?, _ timeoutMilliseconds: Int) throws(KafkaError) -> [String: TopicLayout] {
        var layouts: [String: TopicLayout] = [:]
        if let topics {
            for topic in topics {
                guard let handle = rd_kafka_topic_new(self.handle, topic, nil) else {
                    throw KafkaError(rd_kafka_last_error(), while: "Opening topic \(topic)")
                }
                defer { rd_kafka_topic_destroy(handle) }
                try layouts.merge(metadata(of: handle, timeoutMilliseconds)) { _, new in new }
            }
            return layouts
        }
        return try metadata(of: nil, timeoutMilliseconds)
    }

    private func metadata(
        of topic: OpaquePointer?, _ timeoutMilliseconds: Int
    ) throws(KafkaError) -> [String: TopicLayout] {
        var answer: UnsafePointer<rd_kafka_metadata>?
        let error = rd_kafka_metadata(
            handle, topic == nil ? 1 : 0, topic, &answer, Int32(clamping: timeoutMilliseconds))
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let answer else {
            throw KafkaError(error, while: "Looking up topics")
        }
        defer { rd_kafka_metadata_destroy(answer) }
        markConnected()
        var layouts: [String: TopicLayout] = [:]
        for index in 0..<Int(answer.pointee.topic_cnt) {
            let entry = answer.pointee.topics[index]
            switch entry.err {
            case RD_KAFKA_RESP_ERR_NO_ERROR:
                let count = Int(entry.partition_cnt)
                let replicas = (0..<count).map { Int(entry.partitions[$0].replica_cnt) }
                layouts[String(cString: entry.topic)] = TopicLayout(partitions: count, replicas: replicas.min() ?? 0)
            case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC: continue
            default:
                let name = String(cString: entry.topic)
                throw KafkaError(
                    entry.err, while: "Looking up topic \(name)", needs: [KafkaRight(.describe, on: .topic, name)])
            }
        }
        return layouts
    }

    fileprivate func listOffsets(
        _ partitions: some Collection<TopicPartition>, _ timeoutMilliseconds: Int, at time: (TopicPartition) -> Int64
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        guard !partitions.isEmpty else { return [:] }
        let list = KafkaOffsetList(capacity: partitions.count)
        for partition in partitions { list.add(partition, offset: time(partition)) }
        let error = rd_kafka_offsets_for_times(handle, list.pointer, Int32(clamping: timeoutMilliseconds))
        let action = "Looking up offsets"
        if error != RD_KAFKA_RESP_ERR_NO_ERROR { try throwDenial(of: partitions, error, timeoutMilliseconds) }
        try KafkaError.check(error, while: action)
        // A partition with an error must not be reported as one without a record at the time.
        if let error = list.firstError(while: action, needs: .describe) { throw error }
        return list.offsets()
    }

    /// Throws the missing permission behind `error`, if any; librdkafka may report it as a timeout or unknown topic.
    fileprivate func throwDenial(
        of partitions: some Collection<TopicPartition>, _ error: rd_kafka_resp_err_t, _ timeoutMilliseconds: Int
    ) throws(KafkaError) {
        let topics = Array(Set(partitions.map(\.topic))).sorted()
        switch error {
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR__TIMED_OUT,
            RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
            do throws(KafkaError) {
                _ = try layouts(of: topics, timeoutMilliseconds)
            } catch  where error.code == .access {
                throw error
            } catch {
                return  // No broker answers; the caller throws `error`.
            }
        default: return
        }
        if error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED {
            throw KafkaError(
                error, while: "Looking up offsets", needs: topics.map { KafkaRight(.describe, on: .topic, $0) })
        }
    }

    /// Returns the group's committed offsets; partitions without one are absent.
    func committed(
        _ partitions: [TopicPartition], timeoutMilliseconds: Int
    ) throws(KafkaError) -> [TopicPartition: KafkaCommit] {
        guard !partitions.isEmpty else { return [:] }
        let list = KafkaOffsetList(partitions)
        let error = rd_kafka_committed(handle, list.pointer, Int32(clamping: timeoutMilliseconds))
        let action = "Reading the offsets committed by group \(group)"
        try KafkaError.check(
            error, while: action,
            needs: [KafkaRight(.describe, on: .group, group)]
                + Set(partitions.map(\.topic)).sorted().map { KafkaRight(.describe, on: .topic, $0) })
        if let error = list.firstError(while: action, needs: .describe) { throw error }
        return list.commits()
    }
}
