import Lanes
import Tracking

/// The state header of a verdict: the driver's state, then the chunk of track that the fix completed, if any.
enum VerdictState {
    private static let withoutChunk: UInt8 = 0
    private static let withChunk: UInt8 = 1

    static func write(_ state: DriverState, chunk: UInt64?, into writer: inout ByteWriter) {
        if let chunk {
            writer.append(withChunk)
            writer.append(littleEndian: chunk)
        } else {
            writer.append(withoutChunk)
        }
        writer.append(atMost: DriverState.maximumEncodedByteCount) { state.encode(into: $0) }
    }

    /// Takes a header apart; an empty state when it is not one.
    static func split(_ bytes: ByteSlice) -> (state: ByteSlice, chunk: UInt64?) {
        let buffer = bytes.buffer
        guard let kind = buffer.first else { return (.empty, nil) }
        switch kind {
        case withoutChunk:
            return (ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[1...])), nil)
        case withChunk where buffer.count >= 9:
            let chunk = UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
            return (ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[9...])), chunk)
        default:
            return (.empty, nil)
        }
    }
}
