import Domain
import Kafka
import Processing
import Support

extension KafkaMessage {
    /// The record with its watermark and state headers; valid as long as the message.
    package var record: InputRecord {
        let headers = headers(RecordHeader.watermark, RecordHeader.state)
        var record = recordWithoutHeaders
        record.event = headers.first.flatMap { WatermarkHeader.event(of: $0) }
        record.state = headers.second ?? .empty
        return record
    }

    /// The record without headers; parsing them needs five allocations.
    package var recordWithoutHeaders: InputRecord {
        InputRecord(input: input, partition: partition, offset: offset, timestamp: timestamp, key: key, value: value)
    }

    /// The ``RecordHeader/watermark`` header; empty if absent.
    package var watermarkHeader: ByteSlice { headers(RecordHeader.watermark, RecordHeader.state).first ?? .empty }
}
