import CRdKafka
import Support

/// Record in librdkafka's buffer, to be destroyed exactly once.
///
/// Stays valid across polls and rebalances, but not after its client was destroyed.
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

    package var key: ByteSlice { ByteSlice(start: pointer.pointee.key, count: pointer.pointee.key_len) }

    /// `nil` for a tombstone, which differs from an empty value.
    package var value: ByteSlice? {
        pointer.pointee.payload.map { ByteSlice(start: $0, count: pointer.pointee.len) }
    }

    /// Returns two headers; of duplicate names the last.
    ///
    /// Parsing the headers needs five allocations.
    package func headers(
        _ first: StaticString, _ second: StaticString
    ) -> (first: ByteSlice?, second: ByteSlice?) {
        let found = first.withUTF8Buffer { first in
            second.withUTF8Buffer { second in
                // A static string ends with a zero byte.
                sl_message_header_pair(pointer, cString(first), cString(second))
            }
        }
        return (
            found.first.map { ByteSlice(start: $0, count: found.first_size) },
            found.second.map { ByteSlice(start: $0, count: found.second_size) }
        )
    }

    private func cString(_ text: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
        UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
    }

    /// Frees the message and all its slices.
    package func destroy() { rd_kafka_message_destroy(pointer) }
}

extension KafkaMessage {
    /// The same message with another topic index.
    package func renumbered(_ input: Int) -> KafkaMessage { KafkaMessage(pointer: pointer, input: input) }
}
