/// Follows the frames of RFC 6455 in a stream of bytes, to know how much of the present one has come.
struct FrameLength {
    private static let maskBytes = 4

    /// Bytes of the present frame that have come, with its header; 0 between two frames.
    private(set) var receivedBytes = 0
    /// Of the header, as far as it is known how long it is.
    private var headerBytes = 2
    /// Bytes of the header before the mask.
    private var lengthEnd = 2
    private var length: UInt64 = 0

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if receivedBytes < headerBytes {
                readHeader(bytes[index])
                index += 1
                receivedBytes += 1
            } else {
                let count = Int(min(missingBytes, UInt64(bytes.count - index)))
                index += count
                receivedBytes += count
            }
            if receivedBytes >= headerBytes, missingBytes == 0 { self = FrameLength() }
        }
    }

    /// Once the header is there.
    private var missingBytes: UInt64 { length - min(length, UInt64(receivedBytes - headerBytes)) }

    private mutating func readHeader(_ byte: UInt8) {
        switch receivedBytes {
        case 0: break
        case 1:
            length = UInt64(byte & 0x7F)
            if length >= 126 {
                lengthEnd += length == 126 ? 2 : 8
                length = 0
            }
            headerBytes = lengthEnd + (byte & 0x80 == 0 ? 0 : Self.maskBytes)
        case 2..<lengthEnd: length = length << 8 | UInt64(byte)
        default: break
        }
    }
}
