import CRdKafka
import Glibc
import Support

/// Record in librdkafka's buffer, to be destroyed exactly once.
///
/// Stays valid across polls and rebalances, but not after its client is destroyed.
package struct KafkaMessage {
    let pointer: UnsafeMutablePointer<rd_kafka_message_t>
    /// Index of the record's topic in the client's list.
    package let input: Int

    package var partition: Int32 { pointer.pointee.partition }
    package var offset: Int64 { pointer.pointee.offset }

    package var timestamp: Timestamp {
        var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        return Timestamp(milliseconds: rd_kafka_message_timestamp(pointer, &type))
    }

    package var key: ByteSlice { ByteSlice(start: pointer.pointee.key, count: pointer.pointee.key_len) }

    /// The value; `nil` for a tombstone, which differs from an empty value.
    package var value: ByteSlice? { pointer.pointee.payload.map { ByteSlice(start: $0, count: pointer.pointee.len) } }

    /// Returns the values of two headers; if a name occurs several times, the last value.
    ///
    /// Parsing the headers needs five allocations.
    package func headers(_ first: StaticString, _ second: StaticString) -> (first: ByteSlice?, second: ByteSlice?) {
        let found = first.withUTF8Buffer { first in
            second.withUTF8Buffer { second in
                // Static strings end with a zero byte, as C strings must.
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

    /// Returns the same message with another topic index.
    package func withInput(_ input: Int) -> KafkaMessage { KafkaMessage(pointer: pointer, input: input) }
}

extension KafkaMessage {
    /// Upper bound of the size of the record's headers, in bytes.
    package var headerByteCount: Int {
        var bytes = 0
        // Name and value are each preceded by a length of up to five bytes.
        forEachHeader { name, value in bytes += strlen(name) + value.count + 10 }
        return bytes
    }

    /// All headers as text, with invalid UTF-8 replaced; the last value of a repeated name.
    package var textHeaders: [String: String] {
        var headers: [String: String] = [:]
        forEachHeader { name, value in headers[String(cString: name)] = String(decoding: value, as: UTF8.self) }
        return headers
    }

    private func forEachHeader(_ body: (UnsafePointer<CChar>, UnsafeRawBufferPointer) -> Void) {
        var list: OpaquePointer?
        guard rd_kafka_message_headers(pointer, &list) == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var count = 0
        for index in 0..<rd_kafka_header_cnt(list)
        where rd_kafka_header_get_all(list, index, &name, &value, &count) == RD_KAFKA_RESP_ERR_NO_ERROR {
            if let name { body(name, UnsafeRawBufferPointer(start: value, count: count)) }
        }
    }
}
