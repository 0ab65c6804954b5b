import NIOCore
import Testing

@testable import Benchmarks

@Suite("WebSocket frames of the benchmark's clients")
struct ServerFramesTests {
    private struct Seen: Equatable {
        var kind: ServerFrames.Kind
        var bytes: [UInt8]
    }

    /// Encodes a frame of a server (RFC 6455).
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        switch payload.count {
        case ..<126: [first, UInt8(payload.count)] + payload
        case ..<65536: [first, 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
        default:
            [first, 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) } + payload
        }
    }

    private func read(_ pieces: [[UInt8]]) throws(ServerFrames.Unexpected) -> [Seen] {
        var frames = ServerFrames()
        var seen: [Seen] = []
        for piece in pieces {
            try frames.read(ByteBuffer(bytes: piece)) { seen.append(Seen(kind: $0, bytes: Array($1))) }
        }
        return seen
    }

    @Test(
        "all three length formats are read, at and around their limits",
        arguments: [0, 1, 125, 126, 127, 65535, 65536])
    func lengths(count: Int) throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try read([Self.frame(0x81, payload)]) == [Seen(kind: .text, bytes: payload)])
    }

    @Test("several frames in one read and frames split anywhere are read")
    func cuts() throws {
        let long = [UInt8](repeating: 7, count: 300)
        let bytes =
            Self.frame(0x81, [1, 2]) + Self.frame(0x89, []) + Self.frame(0x81, long) + Self.frame(0x88, [3, 232])
        let expected = [
            Seen(kind: .text, bytes: [1, 2]), Seen(kind: .ping, bytes: []), Seen(kind: .text, bytes: long),
            Seen(kind: .close, bytes: [3, 232]),
        ]
        #expect(try read([bytes]) == expected)
        for cut in bytes.indices { #expect(try read([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected) }
        #expect(try read(bytes.map { [$0] }) == expected)
    }

    @Test("a fragmented frame throws an error")
    func fragments() {
        #expect(throws: ServerFrames.Unexpected(firstByte: 0x01)) { try read([Self.frame(0x01, [1])]) }
    }

    @Test("a client's frame has a mask of zeros", arguments: [0, 125, 126, 4000])
    func masked(count: Int) {
        let payload = [UInt8](repeating: 9, count: count)
        let header: [UInt8] =
            count < 126 ? [0x81, 0x80 | UInt8(count)] : [0x81, 0x80 | 126, UInt8(count >> 8), UInt8(count & 255)]
        let frame = ServerFrames.masked(.text, payload)
        #expect(Array(frame.readableBytesView) == header + [0, 0, 0, 0] + payload)
    }
}
