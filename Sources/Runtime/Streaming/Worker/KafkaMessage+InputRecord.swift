import Kafka
import Model
import Processing
import Support

extension KafkaMessage {
    /// The record, borrowing the message's memory.
    package var record: InputRecord {
        let headers = headers(RecordHeader.clock, RecordHeader.state)
        var record = recordWithoutHeaders
        record.clock = headers.first.flatMap { WatermarkHeader.event(of: $0) }
        record.state = headers.second ?? .empty
        return record
    }

    /// The record as ``record``, but without its headers, whose parsing costs five allocations.
    package var recordWithoutHeaders: InputRecord {
        InputRecord(
            input: input, partition: partition, offset: offset, timestamp: timestamp, key: key, value: value)
    }

    /// The ``RecordHeader/clock`` header; empty where there is none.
    package var clockHeader: ByteSlice { headers(RecordHeader.clock, RecordHeader.state).first ?? .empty }
}
