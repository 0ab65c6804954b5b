import Model
import Processing

/// Puts records that cannot be processed onto a dead-letter topic: key, value, timestamp and headers unchanged, and
/// Connect-style headers that say why, so that the tools for Kafka Connect's dead letters read these too.
///
/// A record that unpacks to more than a dead-letter topic takes goes there without its key, value or headers: the
/// ``RecordHeader/omitted`` header names what is missing, and the record itself stays where its topic, partition and
/// offset say.
///
/// One per stage and input topic.
package struct DeadLetter: Sendable {
    /// The topic that the records come from, without its prefix.
    private let topic: String
    /// The stage's name, `location` or `eta`.
    private let stage: String
    /// What processed the record, for the `class.name` header.
    private let processor: StaticString
    /// The index of the dead-letter topic in ``ProcessorLayout/outputs``.
    private let output: Int

    /// Bytes of key and value together that a dead letter holds.
    ///
    /// With headers of ours they fit the topic's limit of 2 MiB, however little they can be compressed, and every
    /// record of Kafka's default limit of 1 MiB is kept whole.
    package static let maximumRecordBytes = 3 << 19
    /// Bytes of a key that are kept; no identifier is as long.
    package static let maximumKeyBytes = 1 << 16

    package init(topic: String, stage: String, processor: StaticString, output: Int) {
        self.topic = topic
        self.stage = stage
        self.processor = processor
        self.output = output
    }

    /// Appends the record as an output of its own.
    ///
    /// `clock` is the event's id, of a batch with one bad fix that fix's; `code` is the reason in capitals, `message`
    /// one sentence, which names the field at fault and its value.
    package func write(
        _ record: InputRecord, clock: EventID, code: StaticString, message: String, field: String = "",
        into outputs: inout OutputBatch
    ) {
        let keepsKey = record.key.count <= Self.maximumKeyBytes
        let keepsValue = (keepsKey ? record.key.count : 0) + (record.value?.count ?? 0) <= Self.maximumRecordBytes
        outputs.begin(
            topic: output, clock: clock, timestamp: record.timestamp, key: keepsKey ? record.key : .empty,
            copiesInputHeaders: true)
        if let value = record.value, keepsValue { outputs.writeValue { $0.append(value) } }
        outputs.writeHeader("__connect.errors.topic") { $0.append(topic) }
        outputs.writeHeader("__connect.errors.partition") { $0.append(decimal: Int64(record.partition)) }
        outputs.writeHeader("__connect.errors.offset") { $0.append(decimal: record.offset) }
        outputs.writeHeader("__connect.errors.connector.name") {
            $0.append("sightline-")
            $0.append(stage)
        }
        outputs.writeHeader("__connect.errors.task.id") { $0.append(decimal: Int64(record.partition)) }
        outputs.writeHeader("__connect.errors.stage") { $0.append("VALUE_CONVERTER") }
        outputs.writeHeader("__connect.errors.class.name") { $0.append(processor) }
        outputs.writeHeader("__connect.errors.exception.class.name") { $0.append(code) }
        outputs.writeHeader("__connect.errors.exception.message") { $0.append(message) }
        if !field.isEmpty { outputs.writeHeader(RecordHeader.field) { $0.append(field) } }
        if !keepsKey || !keepsValue {
            outputs.writeHeader(RecordHeader.omitted) {
                if !keepsKey { $0.append("key") }
                if !keepsKey, !keepsValue { $0.append(",") }
                if !keepsValue { $0.append("value") }
            }
        }
        if let value = record.value, !keepsValue {
            outputs.writeHeader(RecordHeader.valueBytes) { $0.append(decimal: Int64(value.count)) }
        }
    }

    /// Appends a record that could not be read.
    ///
    /// `field` names the field at fault and is empty when it is the record as a whole; `form` says what is accepted.
    package func write(
        _ record: InputRecord, clock: EventID, reason: DeadLetterReason, field: String = "", form: RecordForm,
        into outputs: inout OutputBatch
    ) {
        let text = reason.text(field: field, key: record.key, value: record.value ?? .empty, form: form)
        write(record, clock: clock, code: reason.code, message: text, field: field, into: &outputs)
    }
}
