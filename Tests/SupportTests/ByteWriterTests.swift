import Support
import Testing

@Suite("Byte writer")
struct ByteWriterTests {
    private func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        write(&writer)
        return Array(writer.bytes.buffer)
    }

    @Test("integers are written in the requested byte order")
    func order() {
        #expect(bytes { $0.append(littleEndian: 0x0102 as UInt16) } == [2, 1])
        #expect(bytes { $0.append(bigEndian: 0x0102 as UInt16) } == [1, 2])
        #expect(bytes { $0.append(littleEndian: -2 as Int64) } == [0xFE] + Array(repeating: 0xFF, count: 7))
        #expect(bytes { $0.append(bigEndian: 0x0102_0304_0506_0708 as UInt64) } == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("overwriting with a 32-bit number changes only four bytes")
    func overwriting() {
        let written = bytes {
            $0.append("abcdef")
            $0.overwrite(at: 1, bigEndian: 0x3132_3334)
        }
        #expect(written == Array("a1234f".utf8))
    }

    @Test("growing keeps the written bytes")
    func growth() {
        let text = String(repeating: "0123456789", count: 100)
        var writer = ByteWriter(capacity: 64)
        for character in text { writer.append(String(character)) }
        writer.append(atMost: 10_000) { _ in 0 }
        #expect(writer.bytes.string == text)
        #expect(writer.slice(3..<6).string == "345")
    }

    @Test("memory beyond the limit is released")
    func limit() {
        var writer = ByteWriter(capacity: 64)
        writer.append(String(repeating: "x", count: 1 << 20))
        writer.removeAll(keepingAtMost: 1 << 21)
        let capacityBefore = writer.capacity
        writer.removeAll(keepingAtMost: 1 << 10)
        let capacityAfter = writer.capacity
        #expect(capacityBefore >= 1 << 20 && capacityAfter == 1 << 10)
        #expect(writer.bytes.isEmpty)
    }

    @Test("hexadecimal numbers have 16 digits")
    func hexadecimal() {
        #expect(written { $0.append(hexadecimal: 0xF0E1_D2C3_B4A5_9687) } == "f0e1d2c3b4a59687")
        #expect(written { $0.append(hexadecimal: 10) } == "000000000000000a")
    }
}
