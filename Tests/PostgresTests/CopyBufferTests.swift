import Testing

@testable import Postgres

@Suite("Copy buffer")
struct CopyBufferTests {
    private func bytes(_ fill: (inout CopyBuffer) -> Void) -> [UInt8] {
        var buffer = CopyBuffer(capacity: 64)
        fill(&buffer)
        return Array(buffer.bytes)
    }

    @Test("header and trailer have the bytes that Postgres documents")
    func frame() {
        #expect(
            bytes {
                $0.appendHeader()
                $0.appendTrailer()
            } == Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8) + [0xFF, 0xFF])
    }

    @Test("fields have a length prefix and network byte order")
    func fields() {
        #expect(bytes { $0.append(0x0102_0304_0506_0708 as Int64) } == [0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(bytes { $0.append(-2 as Int32) } == [0, 0, 0, 4, 0xFF, 0xFF, 0xFF, 0xFE])
        #expect(bytes { $0.append(1.0 as Double) } == [0, 0, 0, 8, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
        #expect(bytes { $0.append(real: 1) } == [0, 0, 0, 4, 0x3F, 0x80, 0, 0])
        #expect(bytes { $0.append(false) } == [0, 0, 0, 1, 0])
        #expect(bytes { $0.append(nil as Int64?) } == [0xFF, 0xFF, 0xFF, 0xFF])
    }

    @Test("times are microseconds since 2000, clamped to the years 1 to 9999")
    func times() {
        #expect(
            bytes { $0.append(timestampMilliseconds: 946_684_800_001) } == [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0x03, 0xE8])
        #expect(
            bytes { $0.append(timestampMilliseconds: .max) }
                == bytes {
                    $0.append(timestampMilliseconds: 253_402_214_400_000)
                })
        #expect(
            bytes { $0.append(timestampMilliseconds: .min) }
                == bytes {
                    $0.append(timestampMilliseconds: -62_135_596_800_000)
                })
    }

    @Test(
        "NUL is removed, and invalid UTF-8 replaced, at any position", arguments: 0..<40)
    func repair(position: Int) {
        for (bad, expected) in [(0x00, ""), (0xFF, "\u{FFFD}")] as [(UInt8, String)] {
            var text = [UInt8](repeating: 0x61, count: 40)
            text[position] = bad
            let written = bytes { buffer in text.withUnsafeBytes { buffer.append(text: $0) } }
            let repaired =
                String(repeating: "a", count: position) + expected + String(repeating: "a", count: 39 - position)
            #expect(Array(written.dropFirst(4)) == Array(repaired.utf8))
            #expect(Int(written[3]) == repaired.utf8.count)
        }
    }

    @Test("valid text is written unchanged")
    func scripts() {
        for text in ["", "a", "ünïcödé", "東京 🚕", String(repeating: "é", count: 100)] {
            #expect(Array(bytes { $0.append(text as String?) }.dropFirst(4)) == Array(text.utf8))
        }
    }

    @Test("the length of an array includes its elements, and an empty array has no dimension")
    func arrays() {
        #expect(
            bytes { $0.appendTextArray(elementCount: 0) { _ in } } == [0, 0, 0, 12] + [0, 0, 0, 0] + [0, 0, 0, 0]
                + [0, 0, 0, 25])
        let one = bytes { $0.appendTextArray(elementCount: 1) { $0.append("AB" as StaticString) } }
        #expect(
            one == [0, 0, 0, 26] + [0, 0, 0, 1] + [0, 0, 0, 0] + [0, 0, 0, 25] + [0, 0, 0, 1] + [0, 0, 0, 1]
                + [0, 0, 0, 2, 0x41, 0x42])
    }

    @Test("an emptied buffer contains only new bytes")
    func reuse() {
        var buffer = CopyBuffer(capacity: 64)
        for _ in 0..<1000 { buffer.append(7 as Int64) }
        #expect(buffer.bytes.count == 12_000)
        buffer.removeAll()
        buffer.append(1 as Int32)
        #expect(Array(buffer.bytes) == [0, 0, 0, 4, 0, 0, 0, 1])
    }
}
