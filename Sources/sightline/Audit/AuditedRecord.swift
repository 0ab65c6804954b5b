import Kafka
import Model
import Processing
import Support

/// A copy of one record of a topic, as far as the audit compares it.
struct AuditedRecord {
    var partition: Int32
    var offset: Int64
    /// The event of its clock header; `nil` if no program of the pipeline wrote it.
    var event: EventID?
    var timestamp: Timestamp
    var key: [UInt8]
    /// `nil` for a tombstone.
    var value: [UInt8]?
    /// The state header.
    var state: [UInt8] = []
    var clockHeader: [UInt8] = []
    /// The reason code of a dead letter.
    var reason: String?

    static let reasonHeader = "__connect.errors.exception.class.name"

    var keyText: String { String(decoding: key, as: UTF8.self) }

    /// A number that tells records of one event apart; the offset is not part of it.
    var fingerprint: UInt64 {
        var hash = (value ?? []).withUnsafeBytes { ByteSlice($0).stableHash }
        for part in [key, state] { hash = hash &* 31 &+ part.withUnsafeBytes { ByteSlice($0).stableHash } }
        return hash &* 31 &+ UInt64(bitPattern: timestamp.milliseconds)
    }

    /// Calls `body` with the record as input, or restored output, number `input`.
    func withRecord<Result>(_ input: Int, _ body: (InputRecord, ByteSlice) throws -> Result) rethrows -> Result {
        try key.withUnsafeBytes { key in
            try (value ?? []).withUnsafeBytes { bytes in
                try state.withUnsafeBytes { state in
                    try clockHeader.withUnsafeBytes { header in
                        try body(
                            InputRecord(
                                input: input, partition: partition, offset: offset, timestamp: timestamp,
                                key: ByteSlice(key),
                                value: value == nil ? nil : ByteSlice(bytes), clock: event, state: ByteSlice(state)),
                            ByteSlice(header))
                    }
                }
            }
        }
    }
}

extension AuditedRecord {
    /// A copy of what a stage answered.
    init(_ output: InMemoryRunner.Output) {
        let record = output.record(offset: -1)
        self.init(record)
        clockHeader = Array(output.clockHeader.buffer)
        let reason = output.headers.last {
            ByteSlice(start: $0.name.utf8Start, count: $0.name.utf8CodeUnitCount).string == Self.reasonHeader
        }
        self.reason = reason?.value.string
    }

    /// A copy of a record read; of a dead letter with its reason.
    init(_ message: KafkaMessage, isDeadLetter: Bool) {
        self.init(message.record)
        clockHeader = Array(message.clockHeader.buffer)
        if isDeadLetter { reason = message.textHeaders[Self.reasonHeader] }
    }

    private init(_ record: InputRecord) {
        self.init(
            partition: record.partition, offset: record.offset, event: record.clock, timestamp: record.timestamp,
            key: Array(record.key.buffer), value: record.value.map { Array($0.buffer) },
            state: Array(record.state.buffer))
    }
}

/// Records of one partition of one topic, in offset order.
protocol RecordSource: AnyObject {
    /// The next record; `nil` at the end.
    func next() throws -> AuditedRecord?
}
