import Domain
import Kafka
import Processing
import Support

/// A copy of the compared fields of a record.
struct AuditedRecord {
    var partition: Int32
    var offset: Int64
    /// The event of the watermark header; `nil` if no program of the pipeline wrote the record.
    var event: EventID?
    var timestamp: Timestamp
    var key: [UInt8]
    /// The record's value; `nil` for a tombstone.
    var value: [UInt8]?
    /// The state header; empty if absent.
    var state: [UInt8] = []
    var watermarkHeader: [UInt8] = []
    /// The reason code of a dead letter.
    var reason: String?

    static let reasonHeader = "__connect.errors.exception.class.name"

    var keyText: String { String(decoding: key, as: UTF8.self) }

    /// A hash of key, value, state and timestamp.
    var fingerprint: UInt64 {
        var hash = (value ?? []).withUnsafeBytes { ByteSlice($0).stableHash }
        for part in [key, state] { hash = hash &* 31 &+ part.withUnsafeBytes { ByteSlice($0).stableHash } }
        return hash &* 31 &+ UInt64(bitPattern: timestamp.milliseconds)
    }

    /// Passes the value to `body`; returns `nil` for a tombstone.
    func read<Result>(_ body: (ByteSlice) -> Result?) -> Result? {
        value.flatMap { $0.withUnsafeBytes { body(ByteSlice($0)) } }
    }

    /// Calls `body` with the record as input (or restored output) number `input`, and with the watermark header.
    func withRecord<Result>(_ input: Int, _ body: (InputRecord, ByteSlice) throws -> Result) rethrows -> Result {
        try key.withUnsafeBytes { key in
            try (value ?? []).withUnsafeBytes { bytes in
                try state.withUnsafeBytes { state in
                    try watermarkHeader.withUnsafeBytes { header in
                        try body(
                            InputRecord(
                                input: input, partition: partition, offset: offset, timestamp: timestamp,
                                key: ByteSlice(key),
                                value: value == nil ? nil : ByteSlice(bytes), event: event, state: ByteSlice(state)),
                            ByteSlice(header))
                    }
                }
            }
        }
    }
}

extension AuditedRecord {
    /// Copies the output of a processor.
    init(_ output: InMemoryRunner.Output) {
        let record = output.record(offset: -1)
        self.init(record)
        watermarkHeader = Array(output.watermarkHeader.buffer)
        let reason = output.headers.last {
            ByteSlice(start: $0.name.utf8Start, count: $0.name.utf8CodeUnitCount).string == Self.reasonHeader
        }
        self.reason = reason?.value.string
    }

    /// Copies a message; a dead letter with its reason.
    init(_ message: KafkaMessage, isDeadLetter: Bool) {
        self.init(message.record)
        watermarkHeader = Array(message.watermarkHeader.buffer)
        if isDeadLetter { reason = message.textHeaders[Self.reasonHeader] }
    }

    private init(_ record: InputRecord) {
        self.init(
            partition: record.partition, offset: record.offset, event: record.event, timestamp: record.timestamp,
            key: Array(record.key.buffer), value: record.value.map { Array($0.buffer) },
            state: Array(record.state.buffer))
    }
}

/// Records of one partition of one topic, in offset order.
protocol RecordSource: AnyObject {
    /// Returns the next record; `nil` at the end.
    func next() throws -> AuditedRecord?
}
