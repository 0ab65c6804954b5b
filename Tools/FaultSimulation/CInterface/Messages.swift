import CRdKafka
import Kafka

/// A consumed record or error as librdkafka passes it on: its C structure, followed by a reference to the record.
enum Message {
    private static let referenceOffset = MemoryLayout<rd_kafka_message_t>.stride

    static func make(_ record: LogRecord, of partition: FetchedPartition) -> UnsafeMutablePointer<rd_kafka_message_t> {
        let message = allocate(Unmanaged.passRetained(record).toOpaque())
        message.pointee.rkt = partition.topic.handle
        message.pointee.partition = partition.name.partition
        message.pointee.offset = record.offset
        message.pointee.key = record.key.baseAddress
        message.pointee.key_len = record.key.count
        message.pointee.payload = record.value?.baseAddress
        message.pointee.len = record.value?.count ?? 0
        return message
    }

    static func make(
        _ error: rd_kafka_resp_err_t, of partition: FetchedPartition?, offset: Int64
    ) -> UnsafeMutablePointer<rd_kafka_message_t> {
        let message = allocate(nil)
        message.pointee.err = error
        message.pointee.rkt = partition?.topic.handle
        message.pointee.partition = partition?.name.partition ?? -1
        message.pointee.offset = offset
        return message
    }

    static func record(of message: UnsafePointer<rd_kafka_message_t>) -> LogRecord? {
        reference(message).map { Unmanaged<LogRecord>.fromOpaque($0).takeUnretainedValue() }
    }

    static func destroy(_ message: UnsafeMutablePointer<rd_kafka_message_t>) {
        if let reference = reference(message) { Unmanaged<LogRecord>.fromOpaque(reference).release() }
        UnsafeMutableRawPointer(message).deallocate()
    }

    private static func allocate(_ reference: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<rd_kafka_message_t> {
        let size = referenceOffset + MemoryLayout<UnsafeMutableRawPointer?>.stride
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        memory.storeBytes(of: reference, toByteOffset: referenceOffset, as: UnsafeMutableRawPointer?.self)
        return memory.assumingMemoryBound(to: rd_kafka_message_t.self)
    }

    private static func reference(_ message: UnsafePointer<rd_kafka_message_t>) -> UnsafeMutableRawPointer? {
        UnsafeRawPointer(message).load(fromByteOffset: referenceOffset, as: UnsafeMutableRawPointer?.self)
    }
}

@_cdecl("rd_kafka_message_destroy")
func messageDestroy(_ message: UnsafeMutablePointer<rd_kafka_message_t>) { Message.destroy(message) }

@_cdecl("rd_kafka_message_timestamp")
func messageTimestamp(
    _ message: UnsafePointer<rd_kafka_message_t>, _ type: UnsafeMutablePointer<rd_kafka_timestamp_type_t>?
) -> Int64 {
    type?.pointee = RD_KAFKA_TIMESTAMP_CREATE_TIME
    return Message.record(of: message)?.timestamp ?? -1
}

@_cdecl("rd_kafka_message_headers")
func messageHeaders(
    _ message: UnsafePointer<rd_kafka_message_t>, _ headers: UnsafeMutablePointer<OpaquePointer?>
) -> rd_kafka_resp_err_t {
    guard let list = Message.record(of: message)?.headers else { return RD_KAFKA_RESP_ERR__NOENT }
    headers.pointee = list
    return RD_KAFKA_RESP_ERR_NO_ERROR
}

@_cdecl("rd_kafka_message_errstr")
func messageErrorText(_ message: UnsafePointer<rd_kafka_message_t>) -> UnsafePointer<CChar>? {
    rd_kafka_err2str(message.pointee.err)
}
