import Bytes
import Testing
import Tracking
import Wire

@testable import Recordings

@Suite("Recorded raw records")
struct RawLineTests {
    private func line(_ text: String, shift: Int64 = 0) -> RawLine {
        ByteSlice.withBytes(of: text) { RawLine($0, shiftMilliseconds: shift) }
    }

    @Test("only the times of a record are touched")
    func shift() {
        let text =
            #"{"driver_id" : "d\"1","payload":{"timestamp": "2025-03-14T18:32:15.123Z","note":"timestamp"},"x":1.50}"#
        let moved = line(text, shift: 61_000)
        #expect(
            String(decoding: moved.bytes, as: UTF8.self)
                == text.replacing("2025-03-14T18:32:15.123Z", with: "2025-03-14T18:33:16.123Z"))
        #expect(moved.newest == Timestamp(milliseconds: 1_741_977_135_123))
        #expect(moved.fixes == 1)
    }

    @Test("a batch has all its times moved, in milliseconds too, and its newest is known")
    func batch() {
        let text =
            #"{"type":"location_batch","driver_id":"d7","locations":[{"timestamp":1741977001000},"#
            + #"{"timestamp":1741977003000},{"timestamp":1741977002000}]}"#
        let moved = line(text, shift: 5)
        #expect(moved.driverID == "d7")
        #expect(moved.newest == Timestamp(milliseconds: 1_741_977_003_000))
        #expect(moved.fixes == 3)
        let times = "1005},{\"timestamp\":1741977003005},{\"timestamp\":1741977002005"
        #expect(String(decoding: moved.bytes, as: UTF8.self).contains(times))
    }

    @Test("Swift's dates and Unix seconds are moved too, and become milliseconds; drivers in camel case are known")
    func seconds() {
        let moved = line(
            #"{"driverId":"d7","locations":[{"timestamp":763669935.123},{"timestamp":1741977136}]}"#, shift: 1000)
        #expect(moved.driverID == "d7")
        #expect(moved.fixes == 2)
        #expect(
            String(decoding: moved.bytes, as: UTF8.self)
                == #"{"driverId":"d7","locations":[{"timestamp":1741977136123},{"timestamp":1741977137000}]}"#)
    }

    @Test(
        "what is no record is passed on byte for byte",
        arguments: [
            "{", "\"", "{\"timestamp\":9223372036854775807}", "{\"timestamp\":-1}", "{\"timestamp\":\"soon\"}",
            "{\"timestamp\":", "{\"driver_id\":\"d", "not json", "{\"a\":\"\\",
        ])
    func garbage(text: String) {
        let moved = line(text, shift: 1000)
        #expect(String(decoding: moved.bytes, as: UTF8.self) == text)
        #expect(moved.newest == nil)
    }

    @Test(
        "times are read with and without decimals, with Z and with an offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59.5Z", 951_868_799_500),
            ("2025-03-14T18:32:15.123456Z", 1_741_977_135_123), ("2025-03-14T19:32:15+01:00", 1_741_977_135_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func times(text: String, milliseconds: Int64) {
        #expect(ByteSlice.withBytes(of: text) { ISO8601.time($0) } == Timestamp(milliseconds: milliseconds))
    }

    @Test(
        "what is no time is none",
        arguments: [
            "", "1969-12-31T23:59:59.999Z", "2025-03-14", "2025-13-14T00:00:00Z", "2025-03-14T18:32:15",
            "2025-03-14T18:32:15Zx",
        ])
    func noTimes(text: String) {
        #expect(ByteSlice.withBytes(of: text) { ISO8601.time($0) } == nil)
    }
}
