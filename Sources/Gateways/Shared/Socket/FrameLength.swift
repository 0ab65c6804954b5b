/// Tracks RFC 6455 frames in a byte stream, to measure the received part of the current frame.
struct FrameLength {
    private static let maskBytes = 4

    /// Received bytes of the current frame including its header; 0 between frames.
    private(set) var receivedBytes = 0
    /// Length of the header as far as it is known.
    private var headerBytes = 2
    /// Header bytes before the mask.
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

    /// Valid once the header is complete.
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
