import CRdKafka
import Support

/// Headers of one record to be produced.
package struct KafkaHeaders: ~Copyable {
    /// librdkafka's list of headers; `nil` after a producer has consumed it.
    var pointer: OpaquePointer?

    /// - Parameter capacity: expected number of headers.
    package init(capacity: Int) { pointer = rd_kafka_headers_new(capacity) }

    /// Copies the headers of a consumed record; if it has none, creates headers with this capacity.
    package init(copying message: KafkaMessage, capacity: Int) {
        var original: OpaquePointer?
        if rd_kafka_message_headers(message.pointer, &original) == RD_KAFKA_RESP_ERR_NO_ERROR, let original {
            pointer = rd_kafka_headers_copy(original)
        } else {
            pointer = rd_kafka_headers_new(capacity)
        }
    }

    /// Removes all headers with this name.
    package mutating func remove(_ name: StaticString) {
        name.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { _ = rd_kafka_header_remove(pointer, $0.baseAddress) }
        }
    }

    deinit { if let pointer { rd_kafka_headers_destroy(pointer) } }

    /// Appends a header; copies name and value.
    @inline(__always)
    package mutating func add(_ name: StaticString, _ value: ByteSlice) {
        name.withUTF8Buffer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                _ = rd_kafka_header_add(pointer, characters.baseAddress, characters.count, value.start, value.count)
            }
        }
    }
}
