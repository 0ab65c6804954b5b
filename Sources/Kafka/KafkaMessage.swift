import Bytes
import CRdKafka
import Pipeline
import Tracking

/// A record still inside the client library's buffer, to be given back with ``destroy()`` exactly once.
///
/// It stays valid across polls and rebalances, but not beyond the client that it came from.
package struct KafkaMessage {
    let pointer: UnsafeMutablePointer<rd_kafka_message_t>
    /// The index of its topic in the client's list.
    package let input: Int

    package var partition: Int32 { pointer.pointee.partition }
    package var offset: Int64 { pointer.pointee.offset }

    package var timestamp: Timestamp {
        var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        return Timestamp(milliseconds: rd_kafka_message_timestamp(pointer, &type))
    }

    /// The ``RecordHeader/clock`` header; empty where there is none.
    package var clockHeader: ByteSlice {
        let headers = sl_message_partition_headers(pointer)
        return ByteSlice(start: headers.clock, count: headers.clock_size)
    }

    /// The record, borrowing the message's memory.
    package var record: InputRecord {
        let headers = sl_message_partition_headers(pointer)
        var record = recordWithoutHeaders
        if headers.clock != nil {
            record.clock = ClockHeader.event(of: ByteSlice(start: headers.clock, count: headers.clock_size))
        }
        record.state = ByteSlice(start: headers.state, count: headers.state_size)
        return record
    }

    /// The record as ``record``, but without what its headers say: to look at headers, the library first takes them
    /// apart, with five calls for memory.
    package var recordWithoutHeaders: InputRecord {
        let message = pointer.pointee
        return InputRecord(
            input: input, partition: message.partition, offset: message.offset, timestamp: timestamp,
            key: ByteSlice(start: message.key, count: message.key_len),
            value: message.payload.map { ByteSlice(start: $0, count: message.len) })
    }

    /// Gives the memory back; the message and everything borrowed from it are invalid afterwards.
    package func destroy() { rd_kafka_message_destroy(pointer) }
}

extension KafkaMessage {
    /// The same message under another topic number: that of the client that will process it.
    package func renumbered(_ input: Int) -> KafkaMessage { KafkaMessage(pointer: pointer, input: input) }
}
