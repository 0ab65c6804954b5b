import Domain
import Support

/// One record as a processor or sink receives it; its slices are valid only during that call.
package struct InputRecord {
    /// Index into ``ProcessorLayout/inputs`` or ``Sink/topics``.
    package var input: Int
    package var partition: Int32
    package var offset: Int64
    /// The record's timestamp in Kafka, clamped to the years 1970 to 9999; for raw records, the receipt time.
    package var timestamp: Timestamp
    package var key: ByteSlice
    /// `nil` for a tombstone (a null value), which differs from an empty value.
    package var value: ByteSlice?
    /// The event id in the ``RecordHeader/watermark`` header; `nil` if no program of the pipeline wrote the record.
    package var event: EventID?
    /// The ``RecordHeader/state`` header; empty if absent.
    package var state: ByteSlice

    package init(
        input: Int = 0, partition: Int32, offset: Int64, timestamp: Timestamp, key: ByteSlice, value: ByteSlice?,
        event: EventID? = nil, state: ByteSlice = .empty
    ) {
        (self.input, self.partition, self.offset) = (input, partition, offset)
        self.timestamp = timestamp.readable
        (self.key, self.value, self.event, self.state) = (key, value, event, state)
    }
}

extension InputRecord {
    /// The record without event and state, because a processor does not receive these for its inputs.
    var withoutHeaders: InputRecord {
        var record = self
        record.event = nil
        record.state = .empty
        return record
    }
}

/// Names of the record headers that Sightline writes.
package enum RecordHeader {
    /// State of the record's key after the record was processed; see ``Processor/restore(_:)``.
    package static let state: StaticString = "sightline-state"
    /// On every output of a processor: its ``EventID`` and the input positions to resume from, as ``WatermarkHeader``.
    package static let watermark: StaticString = "sightline-watermark"
    /// On dead letters: the parts (`key`, `value`, `headers`) that were left out because the record was too large.
    package static let omitted: StaticString = "sightline-omitted"
    /// On dead letters: the size of an omitted value, in bytes.
    package static let valueBytes: StaticString = "sightline-value-bytes"
    /// On dead letters: the invalid field; absent if the error concerns the whole record.
    package static let field: StaticString = "sightline-field"
    /// On dead letters: the unreadable fixes of a batch, as JSON.
    package static let unreadableFixes: StaticString = "sightline-unreadable-fixes"
    /// Headers that only dead letters have.
    package static let ofDeadLetters = [field, omitted, valueBytes, unreadableFixes]
}
