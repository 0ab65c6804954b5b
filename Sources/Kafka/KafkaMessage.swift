import CRdKafka
import Support

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

    package var key: ByteSlice { ByteSlice(start: pointer.pointee.key, count: pointer.pointee.key_len) }

    /// `nil` for a tombstone (a null value), which differs from an empty one.
    package var value: ByteSlice? {
        pointer.pointee.payload.map { ByteSlice(start: $0, count: pointer.pointee.len) }
    }

    /// Two headers, found in one walk; of a name that comes twice the last.
    ///
    /// Parsing the headers costs five allocations.
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

    /// Gives the memory back; the message and everything borrowed from it are invalid afterwards.
    package func destroy() { rd_kafka_message_destroy(pointer) }
}

extension KafkaMessage {
    /// The same message under another topic number: that of the client that will process it.
    package func renumbered(_ input: Int) -> KafkaMessage { KafkaMessage(pointer: pointer, input: input) }
}
