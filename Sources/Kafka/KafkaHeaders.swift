import CRdKafka
import Support

/// The headers of one record to be written.
package struct KafkaHeaders: ~Copyable {
    /// `nil` once a producer has taken them over.
    var pointer: OpaquePointer?

    /// Makes an empty list of headers.
    ///
    /// `capacity`: headers expected; more may be added.
    package init(capacity: Int) { pointer = rd_kafka_headers_new(capacity) }

    /// A copy of the headers of a record that was read, to be added to.
    package init(copying message: KafkaMessage, capacity: Int) {
        var original: OpaquePointer?
        if rd_kafka_message_headers(message.pointer, &original) == RD_KAFKA_RESP_ERR_NO_ERROR, let original {
            pointer = rd_kafka_headers_copy(original)
        } else {
            pointer = rd_kafka_headers_new(capacity)
        }
    }

    /// Removes all headers of a name.
    package mutating func remove(_ name: StaticString) {
        name.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { _ = rd_kafka_header_remove(pointer, $0.baseAddress) }
        }
    }

    deinit { if let pointer { rd_kafka_headers_destroy(pointer) } }

    /// Adds a header after those present, copying name and value.
    @inline(__always)
    package mutating func add(_ name: StaticString, _ value: ByteSlice) {
        name.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                _ = rd_kafka_header_add(pointer, characters.baseAddress, characters.count, value.start, value.count)
            }
        }
    }
}
