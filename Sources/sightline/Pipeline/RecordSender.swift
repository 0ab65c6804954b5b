import Domain
import Kafka
import Recordings
import Support

/// Producer of raw records and trip messages.
///
/// While the broker is slow or unavailable, sending waits instead of dropping records. Use on one thread only.
package final class RecordSender {
    private let producer: KafkaProducer
    private let rawTopic: KafkaProducer.Topic
    private let tripsTopic: KafkaProducer.Topic
    private var rejected = 0
    private var firstRejection: KafkaError?

    /// Creates a sender; `topicPrefix` and `lingerMilliseconds` override the settings.
    package init(_ access: PipelineAccess, topicPrefix: String? = nil, lingerMilliseconds: Int? = nil) throws {
        func name(_ topic: PipelineTopic) -> String {
            topicPrefix.map { $0 + topic.rawValue } ?? access.name(of: topic)
        }
        var settings = KafkaProducerSettings()
        settings.lingerMilliseconds = lingerMilliseconds ?? access.settings.kafka.lingerMilliseconds
        producer = try KafkaProducer(access.kafka, settings: settings, log: PipelineAccess.log)
        rawTopic = try producer.topic(name(.rawLocations))
        tripsTopic = try producer.topic(name(.trips))
    }

    deinit { producer.close() }

    /// Queues a raw record; calls `shouldGiveUp` while the queue is full.
    /// - Returns: `false` if it gave up. A record that the client library refuses is counted, and ``finish(within:)``
    ///   throws.
    @discardableResult
    package func sendRaw(
        key: String?, value: [UInt8], timestamp: Timestamp, shouldGiveUp: () -> Bool = { false }
    ) throws -> Bool {
        try send(key: key, value: value, timestamp: timestamp, to: rawTopic, shouldGiveUp: shouldGiveUp)
    }

    /// Queues a trip message, or a tombstone if `value` is `nil`.
    @discardableResult
    package func sendTrip(
        key: String, value: [UInt8]?, timestamp: Timestamp, shouldGiveUp: () -> Bool = { false }
    ) throws -> Bool {
        try send(key: key, value: value, timestamp: timestamp, to: tripsTopic, shouldGiveUp: shouldGiveUp)
    }

    /// Sends queued records without waiting for the linger time.
    package func requestFlush() { producer.requestFlush() }

    /// Processes delivery reports.
    package func poll(waitMilliseconds: Int = 0) throws {
        try producer.poll(waitMilliseconds: waitMilliseconds) { _, error in recordDelivery(error) }
    }

    /// Waits until all records are acknowledged.
    ///
    /// - Throws: ``InputError`` if the wait takes longer than `seconds`, or if records were not delivered.
    package func finish(within seconds: Int) throws {
        let clock = ContinuousClock()
        let isDone = try producer.flush(deadline: clock.now + .seconds(seconds)) { _, error in recordDelivery(error) }
        guard isDone else {
            throw InputError("\(producer.outstanding) records were not acknowledged within \(seconds) s.")
        }
        if let firstRejection { throw InputError("\(rejected) records were rejected: \(firstRejection)") }
    }

    private func recordDelivery(_ error: KafkaError?) {
        guard let error else { return }
        rejected += 1
        firstRejection = firstRejection ?? error
    }

    private func send(
        key: String?, value: [UInt8]?, timestamp: Timestamp, to topic: KafkaProducer.Topic, shouldGiveUp: () -> Bool
    ) throws -> Bool {
        try ByteSlice.withBytes(of: key ?? "") { keyBytes in
            try (value ?? []).withUnsafeBytes { bytes in
                let record = KafkaProducer.Record(
                    key: key == nil ? .empty : keyBytes, value: value == nil ? nil : ByteSlice(bytes),
                    timestamp: timestamp)
                while true {
                    switch producer.produce(record, to: topic, partition: KafkaProducer.byKey, token: 0) {
                    case .queued: return true
                    case .queueFull:
                        try poll(waitMilliseconds: 100)
                        if shouldGiveUp() { return false }
                    case .refused(let error):
                        if error.isFatal { throw error }
                        recordDelivery(error)
                        return true
                    }
                }
            }
        }
    }
}
