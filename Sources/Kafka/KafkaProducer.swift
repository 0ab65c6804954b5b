import CRdKafka
import Support

/// An idempotent producer: acknowledged by all replicas, never reordered, never given up on.
///
/// Belongs to one thread, but for ``produce(_:to:partition:ticket:)``, which any thread may call while the producer is not
/// closed. While no broker answers, records wait in its queue; a full queue is the answer
/// ``Answer/queueFull`` and nothing is dropped.
package final class KafkaProducer {
    /// What became of one call of ``produce(_:to:partition:ticket:)``.
    package enum Answer: Sendable {
        /// The record will be reported once by ``poll(waitMilliseconds:_:)``.
        case queued
        /// There is no room; call ``poll(waitMilliseconds:_:)`` and then the same again.
        case queueFull
        /// The record was refused and will not be reported.
        case refused(KafkaError)
    }

    /// What became of one record that was queued.
    package struct Delivery {
        package var ticket: Int
        /// Where the record is in its partition; `nil` where the broker does not say.
        package var offset: Int64?
        /// Why the record will never arrive; `nil` when it has arrived.
        package var error: KafkaError?
    }

    /// One topic to write to; obtained from ``topic(_:)``.
    package struct Topic {
        fileprivate let handle: OpaquePointer
    }

    /// A record to write; its slices are copied by the call that takes it.
    package struct Record {
        package var key: ByteSlice
        /// `nil` writes a tombstone.
        package var value: ByteSlice?
        /// Times before 1970, and its first instant, are written as a millisecond after that.
        package var timestamp: Timestamp

        package init(key: ByteSlice, value: ByteSlice?, timestamp: Timestamp) {
            self.key = key
            self.value = value
            self.timestamp = timestamp
        }
    }

    /// The partition number that lets the key decide (murmur2, as Kafka's Java client; none for an empty key).
    package static let byKey: Int32 = RD_KAFKA_PARTITION_UA

    private let client: KafkaClient
    private let queue: OpaquePointer
    private var names: [String] = []
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
            // Wait for the broker however long it takes: giving up on one record would lose or reorder it.
            ("message.timeout.ms", "0"),
            // The topic's limit decides; the library's own of 1 MB would refuse a large record on its way to the dead
            // letters, where it comes with more headers than it had.
            ("message.max.bytes", "8388608"),
            ("queue.buffering.max.messages", String(settings.maximumQueuedRecords)),
            ("queue.buffering.max.kbytes", String(settings.maximumQueuedKibibytes)),
        ]
    }

    /// Ends the producer.
    ///
    /// Records still queued are lost: ``flush(deadline:_:)`` comes before.
    ///
    /// `abruptly`: also forget what is on its way, as if the process had died.
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

    /// The handle to write to the topic named `name` (in full), which need not exist yet.
    package func topic(_ name: String) throws(KafkaError) -> Topic {
        if let known = names.firstIndex(of: name) { return Topic(handle: topics[known]) }
        guard let handle = rd_kafka_topic_new(client.handle, name, nil) else {
            throw KafkaError(rd_kafka_last_error(), while: "Naming topic \(name)")
        }
        names.append(name)
        topics.append(handle)
        return Topic(handle: handle)
    }

    /// Queues one record, copying key and value.
    /// - Parameters:
    ///   - record: what to write.
    ///   - topic: where, from ``topic(_:)``.
    ///   - partition: the partition, or ``byKey``.
    ///   - headers: taken over when the answer is ``Answer/queued``, left as they are otherwise.
    ///   - ticket: handed back with the delivery report.
    /// - Returns: whether the record was taken.
    package func produce(
        _ record: Record, to topic: Topic, partition: Int32, headers: inout KafkaHeaders, ticket: Int
    ) -> Answer {
        let error = send(record, topic, partition, headers.pointer, ticket)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { return refusal(error, topic) }
        headers.pointer = nil
        return .queued
    }

    /// Queues one record without headers, copying key and value.
    package func produce(_ record: Record, to topic: Topic, partition: Int32, ticket: Int) -> Answer {
        let error = send(record, topic, partition, nil, ticket)
        return error == RD_KAFKA_RESP_ERR_NO_ERROR ? .queued : refusal(error, topic)
    }

    @inline(__always)
    private func send(
        _ record: Record, _ topic: Topic, _ partition: Int32, _ headers: OpaquePointer?, _ ticket: Int
    ) -> rd_kafka_resp_err_t {
        sl_produce(
            client.handle, topic.handle, partition, record.key.start, record.key.count,
            Self.start(of: record.value),
            // 0 stands for the clock of this machine in the library's call.
            record.value?.count ?? 0, max(1, record.timestamp.milliseconds), headers, Int(ticket))
    }

    private func refusal(_ error: rd_kafka_resp_err_t, _ topic: Topic) -> Answer {
        if error == RD_KAFKA_RESP_ERR__QUEUE_FULL { return .queueFull }
        if let fatal = client.fatalError { return .refused(fatal) }
        return .refused(Self.failure(error, topic.handle))
    }

    /// The error of a record that was not written to `topic`.
    private static func failure(_ error: rd_kafka_resp_err_t, _ topic: OpaquePointer?) -> KafkaError {
        guard let topic else { return KafkaError(error, while: "Writing a record") }
        let name = String(cString: rd_kafka_topic_name(topic))
        return KafkaError(error, while: "Writing to \(name)", needs: [KafkaRight(.write, on: .topic, name)])
    }

    /// An empty value has an address, a tombstone has none: that is how the library tells them apart.
    @inline(__always)
    private static func start(of value: ByteSlice?) -> UnsafeRawPointer? {
        guard let value else { return nil }
        return value.start ?? UnsafeRawPointer(emptyValue.utf8Start)
    }

    private static let emptyValue: StaticString = ""

    /// Serves delivery reports: `report` gets each record's ticket, and the error of one that will never arrive.
    ///
    /// `waitMilliseconds`: how long to wait for the first report; 0 does not wait.
    /// - Returns: the number of reports.
    /// - Throws: the producer's fatal error.
    @discardableResult
    package func poll(waitMilliseconds: Int, _ report: (Int, KafkaError?) -> Void) throws(KafkaError) -> Int {
        try pollDeliveries(waitMilliseconds: waitMilliseconds) { report($0.ticket, $0.error) }
    }

    /// Serves delivery reports, as ``poll(waitMilliseconds:_:)``, with the offsets of the records.
    @discardableResult
    package func pollDeliveries(waitMilliseconds: Int, _ report: (Delivery) -> Void) throws(KafkaError) -> Int {
        var served = 0
        var wait = Int32(clamping: waitMilliseconds)
        while let event = rd_kafka_queue_poll(queue, wait) {
            wait = 0
            if rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR { note(event) }
            while let message = rd_kafka_event_message_next(event) {
                let error = message.pointee.err
                let failure =
                    error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : Self.failure(error, message.pointee.rkt)
                let offset = message.pointee.offset
                report(
                    Delivery(
                        ticket: Int(bitPattern: UInt(sl_message_ticket(message))), offset: offset >= 0 ? offset : nil,
                        error: failure))
                served += 1
            }
            rd_kafka_event_destroy(event)
        }
        if served > 0, client.isCut { client.noteContact() }
        if let fatal = client.fatalError { throw fatal }
        return served
    }

    /// The library hands errors to the caller that polls for events, past the callback that other clients have for
    /// them.
    private func note(_ event: OpaquePointer) {
        let code = rd_kafka_event_error_is_fatal(event) != 0 ? RD_KAFKA_RESP_ERR__FATAL : rd_kafka_event_error(event)
        client.context.note(
            code, reason: rd_kafka_event_error_string(event).map { String(cString: $0) }, client: client.handle)
    }

    /// The login that brokers refuse at present; `nil` while one of them lets the producer in.
    package var refusal: KafkaAuthenticationFailure? { client.refusal }

    /// Records queued or on their way.
    package var outstanding: Int { Int(rd_kafka_outq_len(client.handle)) }

    /// Sends what lingers without waiting for company; blocks for about a millisecond.
    package func hurry() { rd_kafka_flush(client.handle, 1) }

    /// Waits until everything queued is acknowledged, serving delivery reports meanwhile.
    /// - Returns: whether all of it was by `deadline`.
    package func flush(deadline: ContinuousClock.Instant, _ report: (Int, KafkaError?) -> Void) throws(KafkaError)
        -> Bool
    {
        let clock = ContinuousClock()
        while outstanding > 0 {
            hurry()
            try poll(waitMilliseconds: 5, report)
            if clock.now >= deadline { return outstanding == 0 }
        }
        return true
    }

    /// Whether no broker answered when last heard of; a delivery report or ``probe(timeoutMilliseconds:)`` ends that.
    package var isCut: Bool { client.isCut }

    /// Asks a broker for a sign of life, which ends ``isCut``; blocks until the answer, or for the time given.
    package func probe(timeoutMilliseconds: Int) -> Bool {
        // A failed probe is the answer, not an error.
        let answer = try? client.partitionCounts(
            of: Array(names.prefix(1)), timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
        return answer != nil
    }
}
