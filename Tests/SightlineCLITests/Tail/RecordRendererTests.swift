import Foundation
import Testing

@testable import Domain
@testable import Processing
@testable import SightlineCLI
@testable import Support

@Suite("Records as lines of tail")
struct RecordRendererTests {
    private static let letter = [
        "__connect.errors.topic": "driver.locations.raw", "__connect.errors.partition": "3",
        "__connect.errors.offset": "184467", "__connect.errors.exception.class.name": "MISSING_FIELD",
        "__connect.errors.exception.message": "latitude is missing; accepted names: lat", "sightline-field": "latitude",
    ]

    /// Renders a record; returns the heading of its topic, its line and its entry.
    private func render(
        _ topic: PipelineTopic?, key: String = "drv_17", value: String, headers: [String: String] = [:],
        isJSON: Bool = false, terminal: Terminal = Terminal(width: nil, hasColors: false)
    ) -> (heading: String?, line: String, entry: TailEntry) {
        let renderer = RecordRenderer(topic: topic, isJSON: isJSON, terminal: terminal)
        return ByteSlice.withBytes(of: key) { key in
            ByteSlice.withBytes(of: value) { value in
                let record = InputRecord(
                    partition: 3, offset: 12, timestamp: Timestamp(milliseconds: 1_741_977_135_123), key: key,
                    value: value)
                let entry = renderer.entry(record) { headers }
                return (renderer.heading, renderer.line(record, entry), entry)
            }
        }
    }

    @Test("the heading of every topic is aligned with its records")
    func headings() throws {
        for topic in PipelineTopic.allCases.map(Optional.some) + [nil] {
            let rendered = render(topic, value: "not JSON")
            let heading = try #require(rendered.heading)
            #expect(heading.hasPrefix("time" + String(repeating: " ", count: 22) + "offset     "), "\(heading)")
            let line = rendered.line
            #expect(
                line.hasPrefix("2025-03-14T18:32:15.123Z  3-12" + String(repeating: " ", count: 7) + "drv_17"),
                "\(line)")
            let last = try #require(heading.range(of: "  ", options: .backwards)).upperBound
            let column = heading.distance(from: heading.startIndex, to: last)
            #expect(line.dropFirst(column).hasPrefix("not JSON"), "\(heading)\n\(line)")
        }
    }

    @Test("a dead letter has reason, field, source offset, message and value")
    func deadLetter() {
        let rendered = render(.locationsDeadLetter, value: "{\"latt\":1}\n", headers: Self.letter)
        let words = rendered.line.split(separator: " ", omittingEmptySubsequences: true)
        #expect(words[2...5] == ["drv_17", "MISSING_FIELD", "latitude", "3-184467"])
        #expect(rendered.line.hasSuffix("accepted names: lat  {\"latt\":1}·"))
        #expect(rendered.entry.reasons == ["MISSING_FIELD"] && rendered.entry.driver == "drv_17")
    }

    @Test("a dead letter as JSON has reason, field, source, value and unreadable fixes")
    func deadLetterJSON() throws {
        var headers = Self.letter
        headers["sightline-unreadable-fixes"] = #"{"unreadable":1,"of":2,"runs":[]}"#
        let rendered = render(.locationsDeadLetter, value: "{", headers: headers, isJSON: true)
        #expect(rendered.heading == nil)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(rendered.line.utf8)) as? [String: Any])
        #expect(json["reason"] as? String == "MISSING_FIELD" && json["field"] as? String == "latitude")
        let source = try #require(json["source"] as? [String: Any])
        #expect(source["topic"] as? String == "driver.locations.raw" && source["offset"] as? Int == 184_467)
        #expect((json["unreadable_fixes"] as? [String: Any])?["of"] as? Int == 2)
        #expect(json["value"] as? String == "{")
        let foreign = render(.tripsDeadLetter, value: "{}", isJSON: true).line
        #expect(foreign.contains(#""reason":null,"field":null"#))
    }

    @Test("a batch of one fix has the singular, and of two fixes the plural")
    func plurals() {
        let fix = #"{"latitude":48.1,"longitude":11.5,"timestamp":1741977135123}"#
        #expect(render(.rawLocations, value: #"{"locations":[\#(fix)]}"#).line.hasSuffix("a batch of 1 fix"))
        #expect(render(.rawLocations, value: #"{"locations":[\#(fix),\#(fix)]}"#).line.hasSuffix("a batch of 2 fixes"))
    }

    @Test("a verdict is coloured on a terminal, with the same text as without colours")
    func colors() {
        let value =
            #"{"event_id":"3-12","driver_id":"drv_17","trip_id":"tr_1","verdict":"rejected","reasons":["TELEPORTATION"],"#
            + #""risk":0.5,"raw":{"latitude":48.1,"longitude":11.5},"fixed_at":1741977135000,"received_at":1741977135123}"#
        let plain = render(.locations, value: value)
        let colored = render(.locations, value: value, terminal: Terminal(width: 80, hasColors: true))
        #expect(colored.line.contains("\u{1b}[1;31mrejected\u{1b}[0m "))
        #expect(
            colored.line.replacingOccurrences(of: "\u{1b}[1;31m", with: "").replacingOccurrences(
                of: "\u{1b}[0m", with: "")
                == plain.line)
        #expect(plain.entry.driver == "drv_17" && plain.entry.trips == ["tr_1"])
        #expect(plain.entry.reasons == ["TELEPORTATION"])
    }

    @Test("control characters of a record are not printed")
    func controlCharacters() {
        let line = render(.locationsDeadLetter, key: "\u{1b}[2J", value: "\u{1b}[31m\u{7f}", headers: Self.letter).line
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f })
    }
}
