import CRdKafka
import Support

/// Idempotent producer: writes in order, with unlimited retries, until all in-sync replicas acknowledge.
///
/// Used on one thread, except for ``produce(_:to:partition:token:)``, which is thread-safe until the producer is
/// closed. While no broker answers, records wait in the producer's queue. When the queue is full, `produce` returns
/// ``ProduceResult/queueFull``.
package final class KafkaProducer {
    /// Result of ``produce(_:to:partition:token:)``.
    package enum ProduceResult: Sendable {
        /// The record will be reported by ``poll(waitMilliseconds:_:)``.
        case queued
        /// The queue has no room; call ``poll(waitMilliseconds:_:)`` and retry.
        case queueFull
        /// The record was rejected and will not be reported.
        case refused(KafkaError)
    }

    /// Delivery report of a queued record.
    package struct Delivery {
        package var token: Int
        /// Offset of the written record; `nil` if not reported.
        package var offset: Int64?
        /// Reason why the record was not written; `nil` if it was written.
        package var error: KafkaError?
    }

    /// Handle of a topic, from ``topic(_:)``.
    package struct Topic {
        fileprivate let handle: OpaquePointer
    }

    /// A record to produce; its slices are copied.
    package struct Record {
        package var key: ByteSlice
        /// The value; `nil` for a tombstone.
        package var value: ByteSlice?
        /// Times up to the Unix epoch are written as 1 ms after the epoch.
        package var timestamp: Timestamp

        package init(key: ByteSlice, value: ByteSlice?, timestamp: Timestamp) {
            self.key = key
            self.value = value
            self.timestamp = timestamp
        }
    }

    /// Partition number for the partitioner: murmur2 of the key, like Kafka's Java client; random
    /// for a null key.
    package static let byKey: Int32 = RD_KAFKA_PARTITION_UA

    package let client: KafkaClient
    private let queue: OpaquePointer
    package private(set) var topicNames: [String] = []
    private var topics: [OpaquePointer] = []
    private var isClosed = false

    package init(
        _ configuration: KafkaConfiguration, settings: KafkaProducerSettings = KafkaProducerSettings(),
        log: @escaping KafkaLogHandler
    ) throws(KafkaError) {
        client = try KafkaClient(
            RD_KAFKA_PRODUCER, configuration, properties: Self.properties(settings), events: RD_KAFKA_EVENT_DR, log: log
        )
        queue = rd_kafka_queue_get_main(client.handle)
    }

    deinit { close(abruptly: true) }

    static func properties(_ settings: KafkaProducerSettings) -> [(String, String)] {
        [
            ("enable.idempotence", "true"), ("acks", "all"), ("compression.codec", "lz4"),
            ("linger.ms", String(settings.lingerMilliseconds)), ("partitioner", "murmur2_random"),
            // No timeout, because a dropped record would be lost, or reordered by a retry.
            ("message.timeout.ms", "0"),
            // The topic's limit applies. The default of 1 MB would reject dead letters of the largest records, because
            // dead letters have additional headers.
            ("message.max.bytes", "8388608"),
            ("queue.buffering.max.messages", String(settings.maximumQueuedRecords)),
            ("queue.buffering.max.kbytes", String(settings.maximumQueuedKibibytes)),
        ]
    }

    /// Closes the producer; queued records are lost unless ``flush(deadline:_:)`` was called.
    ///
    /// - Parameter abruptly: whether to discard records in flight, as in a crash of the process.
    package func close(abruptly: Bool = false) {
        guard !isClosed else { return }
        isClosed = true
        if abruptly {
            rd_kafka_purge(
                client.handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING)
        }
        rd_kafka_queue_destroy(queue)
        for topic in topics { rd_kafka_topic_destroy(topic) }
        client.destroy(abruptly: abruptly)
    }

    /// Returns a handle of the topic with the full name `name`; the topic need not exist yet.
    package func topic(_ name: String) throws(KafkaError) -> Topic {
        if let known = topicNames.firstIndex(of: name) { return Topic(handle: topics[known]) }
        guard let handle = rd_kafka_topic_new(client.handle, name, nil) else {
            throw KafkaError(rd_kafka_last_error(), while: "Opening topic \(name)")
        }
        topicNames.append(name)
        topics.append(handle)
        return Topic(handle: handle)
    }

    /// Queues one record, copying key and value.
    ///
    /// `partition`: the partition, or ``byKey``. `headers`: consumed if the result is ``ProduceResult/queued``.
    /// `token`: returned in the delivery report.
    package func produce(
        _ record: Record, to topic: Topic, partition: Int32, headers: inout KafkaHeaders, token: Int
    ) -> ProduceResult {
        let error = send(record, topic, partition, headers.pointer, token)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { return rejection(error, topic) }
        headers.pointer = nil
        return .queued
    }

    /// Queues one record without headers, copying key and value.
    package func produce(_ record: Record, to topic: Topic, partition: Int32, token: Int) -> ProduceResult {
        let error = send(record, topic, partition, nil, token)
        return error == RD_KAFKA_RESP_ERR_NO_ERROR ? .queued : rejection(error, topic)
    }

    @inline(__always)
    private func send(
        _ record: Record, _ topic: Topic, _ partition: Int32, _ headers: OpaquePointer?, _ token: Int
    ) -> rd_kafka_resp_err_t {
        sl_produce(
            client.handle, topic.handle, partition, record.key.start, record.key.count,
            Self.start(of: record.value),
            // 0 would be replaced by the current time.
            record.value?.count ?? 0, max(1, record.timestamp.milliseconds), headers, token)
    }

    private func rejection(_ error: rd_kafka_resp_err_t, _ topic: Topic) -> ProduceResult {
        if error == RD_KAFKA_RESP_ERR__QUEUE_FULL { return .queueFull }
        if let fatal = client.fatalError { return .refused(fatal) }
        return .refused(Self.failure(error, topic.handle))
    }

    /// Returns the error of a record that was not written to `topic`.
    private static func failure(_ error: rd_kafka_resp_err_t, _ topic: OpaquePointer?) -> KafkaError {
        guard let topic else { return KafkaError(error, while: "Writing a record") }
        let name = String(cString: rd_kafka_topic_name(topic))
        return KafkaError(error, while: "Writing to \(name)", needs: [KafkaRight(.write, on: .topic, name)])
    }

    /// Returns the address of a value; not null for an empty value, which is not a tombstone.
    @inline(__always)
    private static func start(of value: ByteSlice?) -> UnsafeRawPointer? {
        guard let value else { return nil }
        return value.start ?? UnsafeRawPointer(emptyValue.utf8Start)
    }

    private static let emptyValue: StaticString = ""

    /// Passes delivery reports to `report`: each record's token, and its error if it was not written.
    ///
    /// `waitMilliseconds`: maximum wait for the first report.
    /// - Returns: the number of reports.
    /// - Throws: the producer's fatal error.
    @discardableResult
    package func poll(waitMilliseconds: Int, _ report: (Int, KafkaError?) -> Void) throws(KafkaError) -> Int {
        try pollDeliveries(waitMilliseconds: waitMilliseconds) { report($0.token, $0.error) }
    }

    /// Polls like ``poll(waitMilliseconds:_:)``, and also reports the records' offsets.
    @discardableResult
    package func pollDeliveries(waitMilliseconds: Int, _ report: (Delivery) -> Void) throws(KafkaError) -> Int {
        var served = 0
        var wait = Int32(clamping: waitMilliseconds)
        while let event = rd_kafka_queue_poll(queue, wait) {
            wait = 0
            if rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR { handleError(event) }
            while let message = rd_kafka_event_message_next(event) {
                let error = message.pointee.err
                let failure =
                    error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : Self.failure(error, message.pointee.rkt)
                let offset = message.pointee.offset
                report(
                    Delivery(
                        token: Int(bitPattern: UInt(sl_message_token(message))), offset: offset >= 0 ? offset : nil,
                        error: failure))
                served += 1
            }
            rd_kafka_event_destroy(event)
        }
        if served > 0, client.isDisconnected { client.markConnected() }
        if let fatal = client.fatalError { throw fatal }
        return served
    }

    /// Forwards an error event, because clients that poll for events get no error callbacks.
    private func handleError(_ event: OpaquePointer) {
        let code = rd_kafka_event_error_is_fatal(event) != 0 ? RD_KAFKA_RESP_ERR__FATAL : rd_kafka_event_error(event)
        client.context.handleError(
            code, reason: rd_kafka_event_error_string(event).map { String(cString: $0) }, client: client.handle)
    }

    /// Number of records queued, in flight, or with an unpolled delivery report.
    package var outstanding: Int { Int(rd_kafka_outq_len(client.handle)) }

    /// Sends queued records without linger; blocks for about 1 ms.
    package func requestFlush() { rd_kafka_flush(client.handle, 1) }

    /// Waits until all records are acknowledged, and passes on delivery reports.
    /// - Returns: `false` if records were outstanding at `deadline`.
    package func flush(deadline: ContinuousClock.Instant, _ report: (Int, KafkaError?) -> Void) throws(KafkaError)
        -> Bool
    {
        let clock = ContinuousClock()
        while outstanding > 0 {
            requestFlush()
            try poll(waitMilliseconds: 5, report)
            if clock.now >= deadline { return outstanding == 0 }
        }
        return true
    }
}
