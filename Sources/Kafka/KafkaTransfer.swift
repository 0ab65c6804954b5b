import CRdKafka

/// Read of a whole partition, to measure the bytes that brokers send for its records.
///
/// Brokers send batches as they store them, so these are the bytes of the compressed batches.
package struct KafkaTransfer {
    package struct Outcome: Sendable {
        package var records: Int
        /// librdkafka's statistics (JSON) after the last record.
        package var statistics: String
    }

    private let configuration: KafkaConfiguration
    private let idleTimeout: Duration
    private let log: KafkaLogHandler

    /// Creates a read; `idleTimeout` is the time without records after which it fails.
    package init(
        _ configuration: KafkaConfiguration, idleTimeout: Duration = .seconds(10), log: @escaping KafkaLogHandler
    ) {
        self.configuration = configuration
        self.idleTimeout = idleTimeout
        self.log = log
    }

    /// Reads a partition from its oldest record to its end, with a client of its own.
    /// - Throws: ``KafkaError``, also if the end is not reached.
    package func read(_ partition: TopicPartition) throws(KafkaError) -> Outcome {
        let consumer = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration,
            properties: KafkaReader.properties(group: "\(configuration.clientID)-reader") + [
                // Large, because a fetch may end with a part of a batch, which the next fetch transfers again.
                ("fetch.message.max.bytes", String(32 << 20)), ("statistics.interval.ms", "200"),
            ], events: RD_KAFKA_EVENT_STATS, log: log)
        defer { consumer.destroy(abruptly: true) }
        guard let source = rd_kafka_queue_get_consumer(consumer.handle) else {
            throw KafkaError(.configuration, "The client has no group; check the property group.id.", isFatal: true)
        }
        let events: OpaquePointer = rd_kafka_queue_get_main(consumer.handle)
        defer {
            rd_kafka_queue_destroy(source)
            rd_kafka_queue_destroy(events)
        }
        let list = KafkaOffsetList([partition: .beginning])
        try KafkaError.check(rd_kafka_assign(consumer.handle, list.pointer), while: "Reading \(partition)")
        let records = try readToEnd(source, partition)
        // Only statistics that are made after the last record include it.
        while Self.nextStatistics(events, waitMilliseconds: 0) != nil {}
        guard let statistics = Self.nextStatistics(events, waitMilliseconds: 5000) else {
            throw KafkaError(.timedOut, "The client library reported no statistics within 5 s.")
        }
        return Outcome(records: records, statistics: statistics)
    }

    /// Returns the number of records up to the end of the partition.
    private func readToEnd(_ source: OpaquePointer, _ partition: TopicPartition) throws(KafkaError) -> Int {
        let messages = UnsafeMutablePointer<UnsafeMutablePointer<rd_kafka_message_t>?>.allocate(capacity: 4096)
        defer { messages.deallocate() }
        var records = 0
        var isAtEnd = false
        var failure: KafkaError?
        var lastReceived = ContinuousClock.now
        while !isAtEnd {
            let received = Int(rd_kafka_consume_batch_queue(source, 50, messages, 4096))
            for index in 0..<max(0, received) {
                guard let message = messages[index] else { continue }
                switch message.pointee.err {
                case RD_KAFKA_RESP_ERR_NO_ERROR: records += 1
                case RD_KAFKA_RESP_ERR__PARTITION_EOF: isAtEnd = true
                case let code:
                    let error = KafkaError(code, while: "Reading \(partition)")
                    if !error.isRetriable { failure = failure ?? error }
                }
                rd_kafka_message_destroy(message)
            }
            if let failure { throw failure }
            if received > 0 { lastReceived = .now }
            guard lastReceived.duration(to: .now) < idleTimeout else {
                throw KafkaError(.timedOut, "\(partition) could not be read to its end, after \(records) records.")
            }
        }
        return records
    }

    /// Returns the next statistics; `nil` if no event arrives in time.
    private static func nextStatistics(_ events: OpaquePointer, waitMilliseconds: Int32) -> String? {
        while let event = rd_kafka_queue_poll(events, waitMilliseconds) {
            defer { rd_kafka_event_destroy(event) }
            if rd_kafka_event_type(event) == RD_KAFKA_EVENT_STATS, let text = rd_kafka_event_stats(event) {
                return String(cString: text)
            }
        }
        return nil
    }
}
