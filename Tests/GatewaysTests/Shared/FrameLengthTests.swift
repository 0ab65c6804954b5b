import TestSupport
import Testing

@testable import Gateways

@Suite("Received length of a frame")
struct FrameLengthTests {
    private static func header(_ length: Int, isMasked: Bool = true) -> [UInt8] {
        let mask: UInt8 = isMasked ? 0x80 : 0
        let size: [UInt8] =
            switch length {
            case 0..<126: [mask | UInt8(length)]
            case 126...0xFFFF: [mask | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
            default: [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
            }
        return [0x82] + size + (isMasked ? [1, 2, 3, 4] : [])
    }

    private static func received(_ bytes: [UInt8]) -> Int {
        var frame = FrameLength()
        bytes.withUnsafeBytes { frame.read($0) }
        return frame.receivedBytes
    }

    @Test(
        "received bytes are counted up to the frame's last byte, which resets the count",
        arguments: [1, 125, 126, 127, 65_535, 65_536])
    func bounds(length: Int) {
        for isMasked in [true, false] {
            let whole = Self.header(length, isMasked: isMasked) + Array(repeating: 9, count: length)
            #expect(Self.received(whole.dropLast()) == whole.count - 1)
            #expect(Self.received(whole) == 0)
            #expect(Self.received(whole + [0x82]) == 1)
        }
    }

    @Test("a frame without data ends with its header")
    func empty() {
        #expect(Self.received(Self.header(0)) == 0)
        #expect(Self.received(Self.header(0).dropLast()) == 5)
    }

    @Test("the count does not depend on how the bytes are split, even for lengths over 4 GiB")
    func splitBytes() {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let lengths = (0..<5).map { _ in [0, 3, 125, 126, 300, 70_000].randomElement(using: &generator) ?? 0 }
            let whole = lengths.flatMap { Self.header($0) + Array(repeating: 7, count: $0) }
            let payloadBytes = Int.random(in: 1..<1000, using: &generator)
            let last = Self.header(1 << 40) + Array(repeating: 7, count: payloadBytes)
            var frame = FrameLength()
            var remaining = (whole + last)[...]
            while !remaining.isEmpty {
                let piece = remaining.prefix(Int.random(in: 1...5000, using: &generator))
                remaining = remaining.dropFirst(piece.count)
                Array(piece).withUnsafeBytes { frame.read($0) }
            }
            #expect(frame.receivedBytes == last.count, "seed \(seed)")
        }
    }
}
