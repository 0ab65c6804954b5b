import Foundation
import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Support

@Suite("Writing text and times")
struct JSONTextTests {
    private func text(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { buffer in
            let slice = ByteSlice(buffer)
            return json(atMost: JSONCursor.maximumTextCount(slice)) { $0.text(slice) }
        }
    }

    private func decoded(_ text: String) throws -> String {
        try JSONDecoder().decode([String].self, from: Data("[\(text)]".utf8))[0]
    }

    @Test("only characters that JSON requires are escaped")
    func escapes() {
        #expect(json { $0.text("plain text 123") } == "\"plain text 123\"")
        #expect(json { $0.text("a\"b\\c\n\r\t\u{1}\u{1f}/\u{7f}") } == "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u001f/\u{7f}\"")
        #expect(json { $0.text("") } == "\"\"")
        #expect(json { $0.text("é漢🚌") } == "\"é漢🚌\"")
    }

    @Test("every byte is written correctly at every position of a word")
    func everyByte() throws {
        for byte in UInt8.min ... .max {
            for position in 0..<17 {
                var bytes = Array("abcdefghijklmnopq".utf8)
                bytes[position] = byte
                #expect(try decoded(text(bytes)) == String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    @Test("any bytes become valid JSON, with U+FFFD for invalid UTF-8", arguments: [UInt64(11)])
    func anyBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let read = try decoded(text(bytes))
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect(isValid == !read.contains("\u{FFFD}"), "seed \(seed)")
        }
    }

    @Test(
        "overlong encodings, surrogates and code points beyond the last are not UTF-8",
        arguments: [
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x80], [0xE2, 0x82], [0xF0, 0x9F, 0x9A],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(text(bytes) == "\"" + String(repeating: "\u{FFFD}", count: bytes.count) + "\"")
    }

    @Test(
        "valid UTF-8 of every length is kept",
        arguments: ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{FFFF}", "\u{10FFFF}"])
    func validUTF8(character: String) {
        #expect(json { $0.text(character) } == "\"\(character)\"")
    }

    @Test("the longest escaped text fits into the reserved space", arguments: [1, 8, 127, 128, 129, 5000])
    func room(count: Int) {
        #expect(text(Array(repeating: 1, count: count)).utf8.count == count * 6 + 2)
        #expect(text(Array(repeating: 0xFF, count: count)).utf8.count == count * 3 + 2)
    }

    @Test("times are ISO 8601 with milliseconds, as Foundation writes them", arguments: [UInt64(3)])
    func times(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<2000 {
            let time = generator.time()
            let seconds = Date(timeIntervalSince1970: Double(time.milliseconds / 1000))
            let milliseconds = String(1000 + time.milliseconds % 1000).dropFirst()
            let expected = seconds.formatted(style).replacing(".000Z", with: ".\(milliseconds)Z")
            #expect(json { $0.timestamp(time) } == "\"\(expected)\"", "seed \(seed): \(time.milliseconds)")
        }
    }

    @Test(
        "times at the limits of days, months, leap years and the range are written",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (1_735_689_599_999, "2024-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "9999-12-31T23:59:59.999Z"), (-1, "1970-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func timeBoundaries(milliseconds: Int64, text: String) {
        #expect(json { $0.timestamp(Timestamp(milliseconds: milliseconds)) } == "\"\(text)\"")
    }

    @Test("event ids are written as their description and read back", arguments: [UInt64(13)])
    func eventIDs(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            var event = EventID(
                origin: Bool.random(using: &generator) ? .raw : .trips,
                partition: .random(in: 0...Int32.max, using: &generator),
                offset: .random(in: 0...Int64.max, using: &generator))
            if Bool.random(using: &generator) { event = event.withFix(.random(in: 0...0xFFFD, using: &generator)) }
            if Bool.random(using: &generator) {
                event = event.withPunctuation(.random(in: 0..<(1 << 40), using: &generator))
            }
            if Bool.random(using: &generator) { event = event.withMessage(.random(in: 0...255, using: &generator)) }
            let text = written { event.write(into: &$0) }
            #expect(text == event.description, "seed \(seed)")
            #expect(EventID(text) == event, "seed \(seed)")
        }
    }
}
