import CRdKafka
import Glibc

extension KafkaMessage {
    /// Maximum size of the headers in a record, in bytes.
    package var headerByteCount: Int {
        var list: OpaquePointer?
        guard rd_kafka_message_headers(pointer, &list) == RD_KAFKA_RESP_ERR_NO_ERROR else { return 0 }
        var bytes = 0
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var count = 0
        for index in 0..<rd_kafka_header_cnt(list)
        where rd_kafka_header_get_all(list, index, &name, &value, &count) == RD_KAFKA_RESP_ERR_NO_ERROR {
            // Name and value are each preceded by a length of up to five bytes.
            bytes += (name.map { strlen($0) } ?? 0) + count + 10
        }
        return bytes
    }

    /// All headers as text, with invalid UTF-8 replaced; of duplicate names the last.
    package var textHeaders: [String: String] {
        var list: OpaquePointer?
        guard rd_kafka_message_headers(pointer, &list) == RD_KAFKA_RESP_ERR_NO_ERROR else { return [:] }
        var headers: [String: String] = [:]
        var name: UnsafePointer<CChar>?
        var value: UnsafeRawPointer?
        var count = 0
        for index in 0..<rd_kafka_header_cnt(list)
        where rd_kafka_header_get_all(list, index, &name, &value, &count) == RD_KAFKA_RESP_ERR_NO_ERROR {
            guard let name else { continue }
            headers[String(cString: name)] = String(
                decoding: UnsafeRawBufferPointer(start: value, count: count), as: UTF8.self)
        }
        return headers
    }
}
