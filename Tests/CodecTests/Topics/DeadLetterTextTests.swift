import Testing

@testable import Codec
@testable import Support

@Suite("Texts of dead letters")
struct DeadLetterTextTests {
    private let raw = RawRecordReader()
    private let trips = TripReader()

    private func rawText(_ value: String, key: String = "drv_17") -> String? {
        ByteSlice.withBytes(of: key) { key in
            ByteSlice.withBytes(of: value) { value in
                switch raw.read(key: key, value: value) {
                case .unreadable(let reason, let detail):
                    return reason.text(field: "\(detail)", key: key, value: value, format: .rawLocations)
                case .fixes:
                    guard let fix = raw.fixes.first(where: { $0.unreadable != nil }), let reason = fix.unreadable else {
                        return nil
                    }
                    return reason.text(field: "\(fix.unreadableField)", key: key, value: value, format: .rawLocations)
                }
            }
        }
    }

    private func tripText(_ value: String, key: String = "drv_17") -> String? {
        ByteSlice.withBytes(of: key) { key in
            ByteSlice.withBytes(of: value) { value in
                guard case .unreadable(let reason, let detail) = trips.read(key: key, value: value) else { return nil }
                return reason.text(field: detail, key: key, value: value, format: .trips)
            }
        }
    }

    private static let position = #""latitude":1,"longitude":2,"timestamp":1741977135123"#

    @Test(
        "a fault of a fix is described with the value and the allowed values",
        arguments: [
            (#"{"latitude":91,"longitude":2,"timestamp":1}"#, "latitude 91 is outside -90 to 90"),
            (#"{"lat":1,"lng":-180.5,"timestamp":1}"#, "lng -180.5 is outside -180 to 180"),
            (#"{\#(position),"speed":"fast"}"#, #"speed "fast" is not accepted; expected a number"#),
            (#"{\#(position),"sequence":1.5}"#, "sequence 1.5 is not accepted; expected a whole number"),
            (#"{\#(position),"sequence":-1}"#, "sequence -1 is outside 0 to 9200000000000000000"),
            (#"{\#(position),"altitude":1e999}"#, "altitude 1e999 is not accepted; expected a finite number"),
            (#"{\#(position),"driver_id":"d2"}"#, #"driver_id "d2" is not the record's key "drv_17""#),
            (
                #"{"latitude":1,"longitude":2,"timestamp":"soon"}"#,
                #"timestamp "soon" is not accepted; expected ISO 8601 with a time zone, such as 2026-03-14T18:32:15Z, or "#
                    + "seconds or milliseconds since 1970"
            ),
            (
                #"{"latitude":1,"longitude":2,"timestamp":-5}"#,
                "timestamp -5 is outside 1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z"
            ),
            (
                #"{"type":"weather","latitude":1,"longitude":2}"#,
                #"type "weather" is not accepted; expected location, location_update or location_batch"#
            ),
            (
                #"{"locations":[{\#(position)},{"latitude":-90.5,"longitude":2,"timestamp":1}]}"#,
                "latitude -90.5 is outside -90 to 90"
            ),
            ("[]", "The value is not one JSON object, or is nested too deeply"),
            ("\u{FEFF}{\(position)}", "The value begins with a byte order mark; expected UTF-8 without one"),
        ])
    func fixes(value: String, text: String) { #expect(rawText(value) == text) }

    @Test(
        "a value in another encoding is described with that encoding",
        arguments: [
            ([0x1F, 0x8B, 0x08, 0x00], "The value is compressed by gzip; expected JSON in UTF-8"),
            ([0xFF, 0xFE, 0x7B, 0x00], "The value is UTF-16; expected UTF-8"),
            ([0xFE, 0xFF, 0x00, 0x7B], "The value is UTF-16; expected UTF-8"),
            ([0x7B, 0x00, 0x22, 0x00], "The value is UTF-16; expected UTF-8"),
            ([0x00, 0x5B, 0x00, 0x22], "The value is UTF-16; expected UTF-8"),
            ([0x7B, 0x22, 0xFF, 0x22], "The value is not UTF-8"),
        ] as [([UInt8], String)])
    func encodings(bytes: [UInt8], text: String) {
        let described = bytes.withUnsafeBytes { bytes in
            ByteSlice.withBytes(of: "drv_17") { key -> String? in
                let value = ByteSlice(bytes)
                guard case .unreadable(let reason, let detail) = raw.read(key: key, value: value) else { return nil }
                return reason.text(field: "\(detail)", key: key, value: value, format: .rawLocations)
            }
        }
        #expect(described == text)
    }

    @Test("a batch that is too large is described with its size and the limit", arguments: [500, 501, 700])
    func batches(count: Int) {
        let value = RawSamples.batch(Array(repeating: "{\(Self.position)}", count: count))
        #expect(rawText(value) == (count > 500 ? "The batch has \(count) fixes; at most 500 are allowed" : nil))
    }

    @Test("faults of sizes and keys are described")
    func records() {
        let padding = String(repeating: "x", count: 70_000)
        let single = RawSamples.good("\"note\":\"\(padding)\"")
        #expect(rawText(single) == "The record of one fix has \(single.utf8.count) bytes; at most 65536 are allowed")
        #expect(
            rawText("{}", key: "a b")
                == #"The key "a b" is not accepted; expected 1 to 128 letters, digits, or any of _ - . and the colon"#)
    }

    @Test(
        "a fault of a trip message is described with the value and the allowed values",
        arguments: [
            (
                #"{"trip_id":"t","state":"FLYING"}"#,
                #"state "FLYING" is not accepted; expected REQUESTED, ACCEPTED, ARRIVED, IN_PROGRESS, COMPLETED or CANCELLED"#
            ),
            (#"{"trip_id":"t","state":"ACCEPTED","queue_position":2}"#, "queue_position 2 is outside 0 to 1"),
            (
                #"{"trip_id":"t","state":"ACCEPTED","stops":[{"stop_id":"a","latitude":1,"longitude":200}]}"#,
                "longitude 200 is outside -180 to 180"
            ),
            (#"{"state":"ACCEPTED"}"#, "trip_id is missing; accepted names: trip_id, tripId"),
            (
                #"{"trip_id":"a b","state":"ACCEPTED"}"#,
                #"trip_id "a b" is not accepted; expected 1 to 128 letters, digits, or any of _ - . and the colon"#
            ),
            (
                #"{"trip_id":"t","state":"ACCEPTED","stops":{}}"#,
                "stops {…} is not accepted; expected an array of stops, each an object"
            ),
        ])
    func trips(value: String, text: String) { #expect(tripText(value) == text) }

    @Test("a trip with too many stops is described with their number and the limit", arguments: [200, 201])
    func stops(count: Int) {
        let stops = (0..<count).map { #"{"stop_id":"s\#($0)","latitude":1,"longitude":2}"# }.joined(separator: ",")
        let text = tripText(#"{"trip_id":"t","state":"ACCEPTED","stops":[\#(stops)]}"#)
        #expect(text == (count > 200 ? "The trip has 201 stops; at most 200 are allowed" : nil))
    }

    @Test(
        "the described ranges equal the readers' ranges",
        arguments: [
            "latitude", "longitude", "accuracy_meters", "speed", "heading", "altitude", "battery_percent",
            "occupancy_percent",
        ])
    func ranges(member: String) throws {
        let range = try #require(RecordFormat.range(of: member))
        for (value, isRead) in [
            (range.lowerBound, true), (range.upperBound, true), (range.lowerBound - 1, false),
            (range.upperBound + 1, false),
        ] {
            let text = rawText(#"{\#(Self.position),"\#(member)":\#(value)}"#)
            // Invalid device properties are ignored, so that they have no text.
            if isRead { #expect(text == nil) }
            if let text { #expect(text == FaultText.outside(member, "\(value)", FaultText.words(range))) }
        }
    }

    @Test("a value of invalid JSON ends at the next name, so that each byte is read once")
    func broken() throws {
        // Inside facts the trip reader only checks the balance of brackets.
        let names = String(repeating: #"1"version":"#, count: 400)
        let trip = #""trip_id":"t","driver_id":"drv_17","state":"REQUESTED","version":-1"#
        let text = try #require(tripText(#"{"facts":{"version":\#(names)1},\#(trip)}"#))
        #expect(text == "version -1 is outside 0 to 9200000000000000000")
        ByteSlice.withBytes(of: #"{"version":1"version":2}"#) { value in
            #expect(MemberText.first(of: "version", in: value)?.string == "1")
        }
    }

    @Test("values of devices cannot make a message long or break its line")
    func hostile() throws {
        let text = try #require(rawText(#"{"latitude":"\#(String(repeating: "x", count: 5000))\u000a","longitude":2}"#))
        #expect(text.count < 200 && text.allSatisfy { !$0.isNewline })
    }
}
