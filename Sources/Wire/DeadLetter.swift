import Lanes

/// Puts records that cannot be processed onto a dead-letter topic: key, value, timestamp and headers unchanged, and
/// Connect-style headers that say why, so that the tools for Kafka Connect's dead letters read these too.
///
/// One per stage and input topic.
package struct DeadLetter: Sendable {
    /// The topic that the records come from, with its prefix.
    private let topic: String
    /// The stage's name, `location` or `eta`.
    private let stage: String
    /// What processed the record, for the `class.name` header.
    private let processor: StaticString
    /// The index of the dead-letter topic in ``StageLayout/outputs``.
    private let output: Int

    package init(topic: String, stage: String, processor: StaticString, output: Int) {
        self.topic = topic
        self.stage = stage
        self.processor = processor
        self.output = output
    }

    /// Appends the record as an output of its own.
    ///
    /// `clock` is the event's id, of a batch with one bad fix that fix's; `code` is the reason in capitals, `message` one
    /// sentence; `field` names the field at fault and is empty when it is the record as a whole.
    package func write(
        _ record: InputRecord, clock: EventID, code: StaticString, message: StaticString, field: String = "",
        into outputs: inout OutputBatch
    ) {
        outputs.begin(
            topic: output, clock: clock, timestamp: record.timestamp, key: record.key, copiesInputHeaders: true)
        if let value = record.value { outputs.writeValue { $0.append(value) } }
        outputs.writeHeader("__connect.errors.topic") { $0.append(topic) }
        outputs.writeHeader("__connect.errors.partition") { Self.append(Int64(record.lane), to: &$0) }
        outputs.writeHeader("__connect.errors.offset") { Self.append(record.offset, to: &$0) }
        outputs.writeHeader("__connect.errors.connector.name") {
            $0.append("sightline-")
            $0.append(stage)
        }
        outputs.writeHeader("__connect.errors.task.id") { Self.append(Int64(record.lane), to: &$0) }
        outputs.writeHeader("__connect.errors.stage") { $0.append("VALUE_CONVERTER") }
        outputs.writeHeader("__connect.errors.class.name") { $0.append(processor) }
        outputs.writeHeader("__connect.errors.exception.class.name") { $0.append(code) }
        outputs.writeHeader("__connect.errors.exception.message") {
            $0.append(message)
            guard !field.isEmpty else { return }
            $0.append(" Field: ")
            $0.append(field)
        }
    }

    /// Appends a record that could not be read.
    package func write(
        _ record: InputRecord, clock: EventID, reason: DeadLetterReason, field: String = "",
        into outputs: inout OutputBatch
    ) {
        write(record, clock: clock, code: reason.code, message: reason.sentence, field: field, into: &outputs)
    }

    private static func append(_ number: Int64, to writer: inout ByteWriter) {
        writer.appendJSON(atMost: JSONCursor.maximumNumberCount) { $0.integer(number) }
    }
}
