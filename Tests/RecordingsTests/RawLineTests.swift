import Testing

@testable import Codec
@testable import Recordings
@testable import Support

@Suite("Recorded raw records")
struct RawLineTests {
    private func line(_ text: String, shift: Int64 = 0) -> RawLine {
        var change = Resending()
        change.shiftMilliseconds = shift
        return ByteSlice.withBytes(of: text) { RawLine($0, change) }
    }

    private func text(_ line: String, _ change: Resending) -> String {
        String(decoding: ByteSlice.withBytes(of: line) { RawLine($0, change).bytes }, as: UTF8.self)
    }

    @Test("a record that is sent again gets a session, message ids and positions of its own, and nothing else changes")
    func resent() {
        var change = Resending()
        change.sessionTag = "k3"
        change.latitudeShift = 0.00002
        change.longitudeShift = -0.00002
        #expect(
            text(
                #"{"session_id":"s1","id":"m1","note":{"id":7,"lat":"x"},"latitude":48.1,"longitude":11.5,"timestamp":1770000000000}"#,
                change)
                == #"{"session_id":"s1-k3","id":"m1-k3","note":{"id":7,"lat":"x"},"latitude":48.10002,"longitude":11.49998,"timestamp":1770000000000}"#
        )
        // Out of range before or after: the pipeline says what is wrong with it.
        #expect(
            text(#"{"session_id":"","lat":91,"lng":-179.99999}"#, change)
                == #"{"session_id":"","lat":91,"lng":-179.99999}"#)
    }

    @Test("a record without a session gets one when it is sent again, unless it is no record")
    func newSession() {
        var change = Resending()
        change.sessionTag = "k3"
        #expect(
            text(#"{"driver_id":"d","timestamp":1770000000000}"#, change)
                == #"{"session_id":"replay-k3","driver_id":"d","timestamp":1770000000000}"#)
        #expect(text(#"{"driver_id":"d"}"#, change) == #"{"driver_id":"d"}"#)
        #expect(text("{}", change) == "{}")
    }

    @Test("every moment has another tag, and moves positions by 1.5 to 7 metres")
    func moments() {
        var tags: Set<String> = []
        for step in 0..<500 {
            let now = Timestamp(milliseconds: 1_770_000_000_000 + Int64(step) * 977)
            tags.insert(Resending.tag(of: now))
            var change = Resending()
            change.movePositions(by: now)
            for shift in [abs(change.latitudeShift), abs(change.longitudeShift)] {
                #expect((1.4e-5...4.6e-5).contains(shift), "\(step)")
            }
        }
        #expect(tags.count == 500)
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
            "{\"timestamp\":", "{\"driver_id\":\"d", "not json", "{\"a\":\"\\", "{\"timestamp\":nan}",
            "{\"timestamp\":0x64}", "{\"timestamp\":1770000000000s}", "{\"timestamp\":[1770000000000]}",
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
