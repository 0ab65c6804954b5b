import CRdKafka
import Support

/// A record of the simulated log; key and value stay at their addresses.
final class LogRecord {
    /// Producer and number in its sequence, by which the log recognises retries.
    struct Sequence {
        var producer: Int
        var number: Int
    }

    private(set) var offset: Int64 = -1
    /// Number of the first record of its batch in the producer's sequence.
    private(set) var batch = 0
    let timestamp: Int64
    let sequence: Sequence?
    private let bytes: UnsafeMutableRawBufferPointer
    private let keyCount: Int
    private let hasValue: Bool
    /// librdkafka's list of headers, which the record owns; `nil` for none.
    let headers: OpaquePointer?

    /// Copies key and value; takes ownership of `headers`.
    init(key: ByteSlice, value: ByteSlice?, timestamp: Int64, headers: OpaquePointer? = nil, sequence: Sequence? = nil)
    {
        keyCount = key.count
        hasValue = value != nil
        // An empty value needs an address, which distinguishes it from a tombstone.
        bytes = .allocate(byteCount: keyCount + (value?.count ?? 0) + 1, alignment: 1)
        bytes.copyMemory(from: key.buffer)
        if let value { UnsafeMutableRawBufferPointer(rebasing: bytes[keyCount...]).copyMemory(from: value.buffer) }
        self.timestamp = timestamp
        self.headers = headers
        self.sequence = sequence
    }

    deinit {
        bytes.deallocate()
        if let headers { rd_kafka_headers_destroy(headers) }
    }

    var key: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: bytes[..<keyCount]) }

    /// The value; `nil` for a tombstone.
    var value: UnsafeMutableRawBufferPointer? {
        hasValue ? UnsafeMutableRawBufferPointer(rebasing: bytes[keyCount..<(bytes.count - 1)]) : nil
    }

    /// Sets the offset, and the first number of the record's batch.
    func place(at offset: Int64, batch: Int = 0) { (self.offset, self.batch) = (offset, batch) }
}
