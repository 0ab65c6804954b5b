import Testing

@testable import Codec
@testable import Recordings
@testable import Support

@Suite("Lines of recorded raw records")
struct RawLineTests {
    private func line(_ text: String, shift: Int64 = 0) -> RawLine {
        var change = ReplayTransform()
        change.shiftMilliseconds = shift
        return ByteSlice.withBytes(of: text) { RawLine($0, change) }
    }

    private func text(_ line: String, _ change: ReplayTransform) -> String {
        String(decoding: ByteSlice.withBytes(of: line) { RawLine($0, change).bytes }, as: UTF8.self)
    }

    @Test("without a time shift, only session, message ids and positions of a record change")
    func resent() {
        var change = ReplayTransform()
        change.sessionTag = "k3"
        change.latitudeShift = 0.00002
        change.longitudeShift = -0.00002
        #expect(
            text(
                #"{"session_id":"s1","id":"m1","note":{"id":7,"lat":"x"},"latitude":48.1,"longitude":11.5,"timestamp":1770000000000}"#,
                change)
                == #"{"session_id":"s1-k3","id":"m1-k3","note":{"id":7,"lat":"x"},"latitude":48.10002,"longitude":11.49998,"timestamp":1770000000000}"#
        )
        // Positions out of range, before or after the shift, are unchanged.
        #expect(
            text(#"{"session_id":"","lat":91,"lng":-179.99999}"#, change)
                == #"{"session_id":"","lat":91,"lng":-179.99999}"#)
    }

    @Test("a line without a session gets a session if it has a time")
    func newSession() {
        var change = ReplayTransform()
        change.sessionTag = "k3"
        #expect(
            text(#"{"driver_id":"d","timestamp":1770000000000}"#, change)
                == #"{"session_id":"replay-k3","driver_id":"d","timestamp":1770000000000}"#)
        #expect(text(#"{"driver_id":"d"}"#, change) == #"{"driver_id":"d"}"#)
        #expect(text("{}", change) == "{}")
    }

    @Test("different times have different tags, and shift latitude and longitude by 1.4e-5 to 4.6e-5 degrees")
    func moments() {
        var tags: Set<String> = []
        for step in 0..<500 {
            let now = Timestamp(milliseconds: 1_770_000_000_000 + Int64(step) * 977)
            tags.insert(ReplayTransform.tag(of: now))
            var change = ReplayTransform()
            change.movePositions(by: now)
            for shift in [abs(change.latitudeShift), abs(change.longitudeShift)] {
                #expect((1.4e-5...4.6e-5).contains(shift), "\(step)")
            }
        }
        #expect(tags.count == 500)
    }

    @Test("only the times of a record are shifted")
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

    @Test("all times of a batch are shifted, and the newest original time is returned")
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

    @Test("seconds since 2001 (Swift) or 1970 become milliseconds since 1970, and driverId is read")
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
        "lines that are not records are unchanged",
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
        "invalid times are not read",
        arguments: [
            "", "1969-12-31T23:59:59.999Z", "2025-03-14", "2025-13-14T00:00:00Z", "2025-03-14T18:32:15",
            "2025-03-14T18:32:15Zx",
        ])
    func noTimes(text: String) {
        #expect(ByteSlice.withBytes(of: text) { ISO8601.time($0) } == nil)
    }
}
