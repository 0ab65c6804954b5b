import Model
import Support

/// One record as a stage or sink sees it.
///
/// Its slices are borrowed: valid during the call that hands the record over.
package struct InputRecord {
    /// Which of the stage's or sink's inputs it came from: the index in ``ProcessorLayout/inputs`` or ``Sink/topics``.
    package var input: Int
    package var partition: Int32
    package var offset: Int64
    /// The broker's or producer's record timestamp; for raw records, the receipt time.
    ///
    /// Producers may send any number: those outside the years 1970 to 9999 become the nearest time within.
    package var timestamp: Timestamp
    package var key: ByteSlice
    /// `nil` for a tombstone (a null value), which differs from an empty one.
    package var value: ByteSlice?
    /// The clock the record carries in its ``RecordHeader/clock`` header; `nil` if no program of the pipeline wrote it.
    package var clock: EventID?
    /// The ``RecordHeader/state`` header; empty where there is none.
    package var state: ByteSlice

    package init(
        input: Int = 0, partition: Int32, offset: Int64, timestamp: Timestamp, key: ByteSlice, value: ByteSlice?,
        clock: EventID? = nil, state: ByteSlice = .empty
    ) {
        self.input = input
        self.partition = partition
        self.offset = offset
        self.timestamp = timestamp.readable
        self.key = key
        self.value = value
        self.clock = clock
        self.state = state
    }
}

extension InputRecord {
    /// The record as a stage processes it.
    ///
    /// A worker does not read the headers of its input, so a stage must not depend on them.
    var withoutHeaders: InputRecord {
        var record = self
        record.clock = nil
        record.state = .empty
        return record
    }
}

/// Names of the record headers that Sightline writes.
package enum RecordHeader {
    /// The state of the record's key after the record; see ``Processor/restore(_:)``.
    package static let state: StaticString = "sightline-state"
    /// The record's ``EventID`` and the input positions to resume from, written by the stage worker on every output.
    package static let clock: StaticString = "sightline-clock"
    /// What of a record its dead letter does not hold, because no topic takes so much: `key`, `value`, `headers`.
    package static let omitted: StaticString = "sightline-omitted"
    /// How many bytes the value had, where it was omitted.
    package static let valueBytes: StaticString = "sightline-value-bytes"
    /// Which field of a record its dead letter is about; not written where it is the record as a whole.
    package static let field: StaticString = "sightline-field"
    /// Which fixes of a batch cannot be read, as JSON.
    package static let unreadableFixes: StaticString = "sightline-unreadable-fixes"
    /// Those of dead letters alone.
    package static let ofDeadLetters = [field, omitted, valueBytes, unreadableFixes]
}
