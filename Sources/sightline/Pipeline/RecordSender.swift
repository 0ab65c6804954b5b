import Kafka
import Model
import Recordings
import Support

/// Sends records to the pipeline's inputs.
///
/// When the broker is slow or away it waits: nothing is dropped. Belongs to one thread.
package final class RecordSender {
    private let producer: KafkaProducer
    private let rawTopic: KafkaProducer.Topic
    private let tripsTopic: KafkaProducer.Topic
    private(set) var sent = 0
    private(set) var acknowledged = 0
    private(set) var refused = 0
    private(set) var firstRefusal: KafkaError?

    /// `topicPrefix` and `lingerMilliseconds`: where they are not what the settings say.
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

    /// Queues a raw record; `shouldGiveUp` is asked while the queue is full.
    /// - Returns: `false` when it was given up.
    @discardableResult
    package func sendRaw(
        key: String?, value: [UInt8], timestamp: Timestamp, shouldGiveUp: () -> Bool = { false }
    ) throws -> Bool {
        try send(key: key, value: value, timestamp: timestamp, to: rawTopic, shouldGiveUp: shouldGiveUp)
    }

    /// Queues a trip message, or a tombstone when `value` is `nil`.
    @discardableResult
    package func sendTrip(
        key: String, value: [UInt8]?, timestamp: Timestamp, shouldGiveUp: () -> Bool = { false }
    ) throws -> Bool {
        try send(key: key, value: value, timestamp: timestamp, to: tripsTopic, shouldGiveUp: shouldGiveUp)
    }

    /// Sends what lingers without waiting for company.
    package func hurry() { producer.hurry() }

    /// Sends what has lingered and takes reports that have come.
    package func poll(waitMilliseconds: Int = 0) throws {
        try producer.poll(waitMilliseconds: waitMilliseconds) { _, error in note(error) }
    }

    /// Waits until everything is acknowledged.
    ///
    /// - Throws: ``InputError`` when that takes longer than `seconds` or records were refused.
    package func finish(within seconds: Int) throws {
        let clock = ContinuousClock()
        let isDone = try producer.flush(deadline: clock.now + .seconds(seconds)) { _, error in note(error) }
        guard isDone else {
            throw InputError("\(producer.outstanding) records were not acknowledged within \(seconds) s.")
        }
        if let firstRefusal { throw InputError("\(refused) records were refused: \(firstRefusal)") }
    }

    private func note(_ error: KafkaError?) {
        acknowledged += 1
        guard let error else { return }
        refused += 1
        firstRefusal = firstRefusal ?? error
    }

    private func send(
        key: String?, value: [UInt8]?, timestamp: Timestamp, to topic: KafkaProducer.Topic, shouldGiveUp: () -> Bool
    ) throws -> Bool {
        try Self.withSlices(key: key, value: value) { key, value in
            let record = KafkaProducer.Record(key: key, value: value, timestamp: timestamp)
            while true {
                switch producer.produce(record, to: topic, partition: KafkaProducer.byKey, ticket: 0) {
                case .queued:
                    sent += 1
                    return true
                case .queueFull:
                    try poll(waitMilliseconds: 100)
                    if shouldGiveUp() { return false }
                case .refused(let error):
                    if error.isFatal { throw error }
                    sent += 1
                    note(error)
                    return true
                }
            }
        }
    }

    private static func withSlices<Result>(
        key: String?, value: [UInt8]?, _ body: (ByteSlice, ByteSlice?) throws -> Result
    ) rethrows -> Result {
        func withKey(_ value: ByteSlice?) throws -> Result {
            guard let key else { return try body(.empty, value) }
            return try ByteSlice.withBytes(of: key) { try body($0, value) }
        }
        guard let value else { return try withKey(nil) }
        return try value.withUnsafeBytes { try withKey(ByteSlice($0)) }
    }
}
