import CRdKafka
import Support

/// Owner of one librdkafka client, whose handle is thread-safe.
final class KafkaClient {
    let handle: OpaquePointer
    let context: KafkaClientContext
    /// The consumer group; empty for none.
    let group: String
    /// ``KafkaConfiguration/advice``.
    private let advice: String
    /// Retained because the client's threads call it; `nil` if no pause is set.
    let idleFetchPause: IdleFetchPause?
    private var isDestroyed = false

    /// `properties`: defaults, overridden by those of `configuration`.
    init(
        _ kind: rd_kafka_type_t, _ configuration: KafkaConfiguration, properties: [(String, String)], events: Int32 = 0,
        rebalances: Bool = false, log: @escaping KafkaLogHandler
    ) throws(KafkaError) {
        context = KafkaClientContext(log: log)
        advice = configuration.advice
        let pause = configuration.idleFetchPauseMilliseconds
        idleFetchPause = kind == RD_KAFKA_CONSUMER && pause > 0 ? IdleFetchPause(milliseconds: pause) : nil
        _ = try KafkaLibrary.check()
        group = properties.last { $0.0 == "group.id" }?.1 ?? ""
        let conf: OpaquePointer = rd_kafka_conf_new()
        do throws(KafkaError) {
            for (name, value) in Self.common(configuration) + properties { try Self.set(conf, name, value) }
            for (name, value) in configuration.properties.sorted(by: { $0.key < $1.key }) {
                try Self.set(conf, name, value, from: configuration.variables[name])
            }
        } catch {
            rd_kafka_conf_destroy(conf)
            throw error
        }
        context.install(in: conf, rebalances: rebalances)
        idleFetchPause?.install(in: conf)
        if events != 0 { rd_kafka_conf_set_events(conf, events) }
        var text = [CChar](repeating: 0, count: 512)
        guard let handle = rd_kafka_new(kind, conf, &text, text.count) else {
            rd_kafka_conf_destroy(conf)
            throw KafkaError(
                .configuration,
                "The Kafka client rejected its settings: \(text.withUnsafeBufferPointer(KafkaClientContext.text)).",
                isFatal: true)
        }
        self.handle = handle
    }

    deinit { destroy() }

    /// Destroys the client; only the first call has an effect.
    ///
    /// - Parameter abruptly: without leaving the group.
    func destroy(abruptly: Bool = false) {
        guard !isDestroyed else { return }
        isDestroyed = true
        rd_kafka_destroy_flags(handle, abruptly ? RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE : 0)
    }

    private static func common(_ configuration: KafkaConfiguration) -> [(String, String)] {
        [
            ("bootstrap.servers", configuration.bootstrapServers), ("client.id", configuration.clientID),
            ("log.connection.close", "false"), ("allow.auto.create.topics", "false"),
            ("socket.nagle.disable", "true"), ("reconnect.backoff.ms", "100"), ("reconnect.backoff.max.ms", "2000"),
        ]
    }

    /// Sets a property; `variable` is the environment variable that it comes from, if any.
    private static func set(
        _ conf: OpaquePointer, _ name: String, _ value: String, from variable: String? = nil
    ) throws(KafkaError) {
        var text = [CChar](repeating: 0, count: 512)
        switch rd_kafka_conf_set(conf, name, value, &text, text.count) {
        case RD_KAFKA_CONF_OK: return
        default:
            let origin = variable.map { " (\($0))" } ?? ""
            let reason = text.withUnsafeBufferPointer(KafkaClientContext.text)
            throw KafkaError(
                .configuration, "The Kafka property \(name)\(origin) was rejected: \(reason).", isFatal: true)
        }
    }
}

extension KafkaClient {
    /// The error that made the client unusable.
    var fatalError: KafkaError? { context.state.withLock { $0.fatal } }

    /// Whether no broker is connected, as far as known; see ``markConnected()``.
    var isDisconnected: Bool { context.state.withLock { $0.isDisconnected } }

    /// Clears ``isDisconnected`` after a response of a broker.
    func markConnected() {
        context.state.withLock { state in
            state.isDisconnected = false
            state.authenticationFailure = nil
            state.connectionError = nil
        }
    }

    /// The current rejection of the client's login by all brokers.
    var authenticationFailure: KafkaAuthenticationFailure? {
        context.state.withLock { state in
            guard state.isDisconnected, let failure = state.authenticationFailure, failure.isCurrent() else {
                return nil
            }
            return failure
        }
    }

    /// Adds the reason known to librdkafka, and advice, to the error of a call that no broker answered.
    ///
    /// `polls`: whether to poll for errors first; only for clients that are not polled otherwise.
    func explained(_ error: KafkaError, polls: Bool = true) -> KafkaError {
        guard error.code == .unreachable || error.code == .timedOut else { return error }
        if polls { rd_kafka_poll(handle, 0) }
        let (rejection, reason) = context.state.withLock { ($0.authenticationFailure?.error, $0.connectionError) }
        if let rejection { return rejection }
        var explained = error
        if !advice.isEmpty, explained.message.hasSuffix(KafkaError.addressAdvice) {
            explained.message = explained.message.dropLast(KafkaError.addressAdvice.count) + "."
        }
        if let reason { explained.message += " The last attempt: \(reason)." }
        if !advice.isEmpty { explained.message += " \(advice)" }
        return explained
    }

    /// Numbers of partitions and replicas of a topic.
    struct TopicLayout {
        var partitions: Int
        /// The smallest number of a partition.
        var replicas: Int
    }

    /// Returns the partition counts of `topics` (`nil` for all); missing topics are absent.
    func partitionCounts(of topics: [String]?, timeoutMilliseconds: Int32) throws(KafkaError) -> [String: Int] {
        try layouts(of: topics, timeoutMilliseconds: timeoutMilliseconds).mapValues(\.partitions)
    }

    /// Returns the layouts of `topics` (`nil` for all); missing topics are absent.
    func layouts(of topics: [String]?, timeoutMilliseconds: Int32) throws(KafkaError) -> [String: TopicLayout] {
        var layouts: [String: TopicLayout] = [:]
        if let topics {
            for topic in topics {
                guard let handle = rd_kafka_topic_new(self.handle, topic, nil) else {
                    throw KafkaError(rd_kafka_last_error(), while: "Naming topic \(topic)")
                }
                defer { rd_kafka_topic_destroy(handle) }
                try layouts.merge(metadata(of: handle, timeoutMilliseconds)) { _, new in new }
            }
            return layouts
        }
        return try metadata(of: nil, timeoutMilliseconds)
    }

    private func metadata(
        of topic: OpaquePointer?, _ timeoutMilliseconds: Int32
    ) throws(KafkaError) -> [String: TopicLayout] {
        var answer: UnsafePointer<rd_kafka_metadata>?
        let error = rd_kafka_metadata(handle, topic == nil ? 1 : 0, topic, &answer, timeoutMilliseconds)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let answer else {
            throw KafkaError(error, while: "Asking for topics")
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
                    entry.err, while: "Asking for topic \(name)", needs: [KafkaRight(.describe, on: .topic, name)])
            }
        }
        return layouts
    }

    /// Returns the first offset of each partition with this timestamp or a later one; others are absent.
    func offsets(
        of partitions: some Collection<TopicPartition>, atOrAfter time: (TopicPartition) -> Timestamp,
        timeoutMilliseconds: Int32
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        try listOffsets(partitions, timeoutMilliseconds) { max(0, time($0).milliseconds) }
    }

    /// Queries the offset ranges of partitions with two requests; missing partitions are absent.
    func offsetRanges(
        of partitions: some Collection<TopicPartition>, timeoutMilliseconds: Int32
    ) throws(KafkaError) -> [TopicPartition: KafkaOffsetRange] {
        // Special times for the first record and the end.
        let lows = try listOffsets(partitions, timeoutMilliseconds) { _ in Int64(RD_KAFKA_OFFSET_BEGINNING) }
        let highs = try listOffsets(partitions, timeoutMilliseconds) { _ in Int64(RD_KAFKA_OFFSET_END) }
        var ranges: [TopicPartition: KafkaOffsetRange] = [:]
        for (partition, low) in lows {
            ranges[partition] = KafkaOffsetRange(low: low, high: max(low, highs[partition] ?? low))
        }
        return ranges
    }

    private func listOffsets(
        _ partitions: some Collection<TopicPartition>, _ timeoutMilliseconds: Int32, at time: (TopicPartition) -> Int64
    ) throws(KafkaError) -> [TopicPartition: Int64] {
        guard !partitions.isEmpty else { return [:] }
        let list = KafkaOffsetList(capacity: partitions.count)
        for partition in partitions { list.add(partition, offset: time(partition)) }
        let error = rd_kafka_offsets_for_times(handle, list.pointer, timeoutMilliseconds)
        let action = "Looking up offsets"
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            try throwDenial(of: partitions, error, timeoutMilliseconds)
            throw KafkaError(error, while: action)
        }
        // An error must not look like a partition without such a record.
        if let error = list.firstError(while: action, needs: .describe) { throw error }
        return list.offsets()
    }

    /// Throws a missing permission behind `error`: librdkafka waits until the timeout for topics it may not describe.
    private func throwDenial(
        of partitions: some Collection<TopicPartition>, _ error: rd_kafka_resp_err_t, _ timeoutMilliseconds: Int32
    ) throws(KafkaError) {
        let topics = Array(Set(partitions.map(\.topic))).sorted()
        switch error {
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR__TIMED_OUT,
            RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
            do throws(KafkaError) {
                _ = try partitionCounts(of: topics, timeoutMilliseconds: timeoutMilliseconds)
            } catch  where error.code == .access {
                throw error
            } catch {
                return  // no broker answers; the caller throws that
            }
        default: return
        }
        if error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED {
            throw KafkaError(
                error, while: "Looking up offsets", needs: topics.map { KafkaRight(.describe, on: .topic, $0) })
        }
    }

    /// Returns the group's committed offsets; other partitions are absent.
    func committed(
        _ partitions: [TopicPartition], timeoutMilliseconds: Int32
    ) throws(KafkaError) -> [TopicPartition: KafkaCommit] {
        guard !partitions.isEmpty else { return [:] }
        let list = KafkaOffsetList(partitions)
        let error = rd_kafka_committed(handle, list.pointer, timeoutMilliseconds)
        let action = "Reading the offsets committed by group \(group)"
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw KafkaError(
                error, while: action,
                needs: [KafkaRight(.describe, on: .group, group)]
                    + Set(partitions.map(\.topic)).sorted().map { KafkaRight(.describe, on: .topic, $0) })
        }
        if let error = list.firstError(while: action, needs: .describe) { throw error }
        return list.commits()
    }

    /// Queries the offset range of a partition.
    func offsetRange(of partition: TopicPartition, timeoutMilliseconds: Int32) throws(KafkaError) -> KafkaOffsetRange {
        var low: Int64 = 0
        var high: Int64 = 0
        let error = rd_kafka_query_watermark_offsets(
            handle, partition.topic, partition.partition, &low, &high, timeoutMilliseconds)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            try throwDenial(of: [partition], error, timeoutMilliseconds)
            throw KafkaError(error, while: "Asking for the offsets of \(partition)")
        }
        return KafkaOffsetRange(low: low, high: high)
    }

    /// The offset range reported by the last fetch; `nil` before the first.
    func cachedOffsetRange(of partition: TopicPartition) -> KafkaOffsetRange? {
        var low: Int64 = 0
        var high: Int64 = 0
        let error = rd_kafka_get_watermark_offsets(handle, partition.topic, partition.partition, &low, &high)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, high >= 0 else { return nil }
        return KafkaOffsetRange(low: max(low, 0), high: high)
    }
}
