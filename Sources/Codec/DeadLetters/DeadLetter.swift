import Domain
import Processing

/// Writer of dead letters for one processor or sink, and one input topic.
///
/// A dead letter has the key, value and timestamp of its record, as far as they fit into the topic's limit; the worker
/// of a processor also copies the record's headers.
/// Additional headers with the names of Kafka Connect state the reason and locate the record. The header
/// ``Processing/RecordHeader/omitted`` lists what was omitted because of its size.
package struct DeadLetter: Sendable {
    /// The input topic without its prefix.
    private let topic: String
    /// The name of the processor or sink, such as `location`.
    private let stage: String
    /// Name of the type that found the fault, for the header `class.name`.
    private let processor: StaticString
    /// The index of the dead-letter topic in ``ProcessorLayout/outputs``; unused by sinks.
    private let output: Int

    /// Maximum size of key and value together: 1.5 MiB.
    ///
    /// The rest of the topic's 2 MiB is for headers.
    package static let maximumRecordBytes = 3 << 19
    /// Maximum bytes of a key; more than any identifier has.
    package static let maximumKeyBytes = 1 << 16

    package init(topic: String, stage: String, processor: StaticString, output: Int) {
        (self.topic, self.stage, self.processor, self.output) = (topic, stage, processor, output)
    }

    /// Appends the record as an output; `code` is the reason in capitals, `message` one sentence.
    package func write(
        _ record: InputRecord, event: EventID, code: StaticString, message: String, field: String = "",
        into outputs: inout OutputBatch
    ) {
        let keepsKey = record.key.count <= Self.maximumKeyBytes
        let keepsValue = (keepsKey ? record.key.count : 0) + (record.value?.count ?? 0) <= Self.maximumRecordBytes
        outputs.begin(
            topic: output, event: event, timestamp: record.timestamp, key: keepsKey ? record.key : .empty,
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

    /// Appends an unreadable record.
    ///
    /// `field`: name of the invalid field; empty if the whole record is invalid.
    package func write(
        _ record: InputRecord, event: EventID, reason: DeadLetterReason, field: String = "", format: RecordFormat,
        into outputs: inout OutputBatch
    ) {
        let text = reason.text(field: field, key: record.key, value: record.value ?? .empty, format: format)
        write(record, event: event, code: reason.code, message: text, field: field, into: &outputs)
    }
}
