import Kafka
import Support

/// Copy of an output that waits until earlier outputs of its partition are acknowledged.
final class ParkedOutput {
    /// Index into the processor's outputs.
    let topic: Int
    /// Number of its step; outputs of one step may be in flight together, see ``ProcessorLoop/produceOutputs(_:)``.
    let step: Int
    var headers: KafkaHeaders
    private let key: [UInt8]
    private let value: [UInt8]?
    private let timestamp: Timestamp

    /// Copies `record` and consumes `headers`.
    init(_ record: KafkaProducer.Record, headers: consuming KafkaHeaders, topic: Int, step: Int) {
        self.topic = topic
        self.step = step
        self.headers = headers
        key = Array(record.key.buffer)
        value = record.value.map { Array($0.buffer) }
        timestamp = record.timestamp
    }

    /// Bytes of key and value.
    var byteCount: Int { key.count + (value?.count ?? 0) }

    /// Calls `body` with the record, which is valid during the call.
    func withRecord<Result>(_ body: (KafkaProducer.Record, inout KafkaHeaders) throws -> Result) rethrows -> Result {
        try key.withUnsafeBytes { key in
            guard let value else {
                return try body(.init(key: ByteSlice(key), value: nil, timestamp: timestamp), &headers)
            }
            return try value.withUnsafeBytes { value in
                try body(.init(key: ByteSlice(key), value: ByteSlice(value), timestamp: timestamp), &headers)
            }
        }
    }
}
