import Domain
import Foundation
import Support
import TestSupport
import Testing

@Suite(
    "Unreadable input", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct PoisonTests {
    private struct Poison {
        var key: String
        var value: [UInt8]
        var code: String

        init(_ code: String, _ value: String, key: String = "drv_1") {
            self.code = code
            self.key = key
            self.value = Array(value.utf8)
        }
    }

    private static func location(_ fields: String) -> String {
        #"{"type":"location","driver_id":"drv_1","payload":{"# + fields + "}}"
    }

    private static let poisons: [Poison] = {
        var list = [
            Poison("MALFORMED_JSON", "{"), Poison("MALFORMED_JSON", "not json"), Poison("EMPTY_VALUE", ""),
            Poison("WRONG_TYPE", location(#""latitude":"48.1","longitude":11.5,"timestamp":1770000000000"#)),
            Poison("NOT_FINITE", location(#""latitude":NaN,"longitude":11.5,"timestamp":1770000000000"#)),
            Poison("NOT_FINITE", location(#""latitude":1e999,"longitude":11.5,"timestamp":1770000000000"#)),
            Poison("OUT_OF_RANGE", location(#""latitude":91,"longitude":11.5,"timestamp":1770000000000"#)),
            Poison("MISSING_FIELD", location(#""longitude":11.5,"timestamp":1770000000000"#)),
            Poison("UNKNOWN_TYPE", #"{"type":"weather","driver_id":"drv_1"}"#),
            Poison("KEY_MISMATCH", location(#""latitude":48.1,"longitude":11.5,"timestamp":1"#), key: "drv_2"),
            Poison(
                "TOO_LARGE",
                location(
                    #""latitude":48.1,"longitude":11.5,"timestamp":1,"note":""#
                        + String(repeating: "x", count: 1_000_000) + "\"")),
        ]
        let outside = location(#""latitude":91,"longitude":11.5,"timestamp":1770000000000"#)
        let batch = Array(repeating: outside, count: 500).joined(separator: ",")
        let note = String(repeating: "x", count: 900_000)
        list.append(
            Poison("OUT_OF_RANGE", #"{"type":"location_batch","locations":["# + batch + #"],"note":""# + note + "\"}"))
        var invalid = Poison("INVALID_UTF8", location(#""latitude":48.1,"longitude":11.5,"note":"?","timestamp":1"#))
        if let index = invalid.value.firstIndex(of: UInt8(ascii: "?")) { invalid.value[index] = 0xff }
        list.append(invalid)
        let good = location(#""latitude":48.1,"longitude":11.5,"timestamp":1770000000000"#)
        for id in HostileText.all { list.append(Poison("INVALID_KEY", good, key: id)) }
        return list
    }()

    @Test(
        "each unreadable record becomes an unchanged dead letter with its reason, and the partition continues")
    func poisonsBecomeDeadLetters() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        try await stack.start("location-worker")
        let good = Self.location(#""latitude":48.1,"longitude":11.5,"timestamp":1770000000000"#)
        let at = Timestamp(milliseconds: 1_770_000_000_000)
        try stack.send(
            Self.poisons.map { ($0.key, $0.value, at) } + [("drv_1", Array(good.utf8), at)], to: .rawLocations)
        var letters: [(value: [UInt8], headers: [String: String])] = []
        try await eventually("all dead letters and the verdict are written") {
            letters = try stack.read(.locationsDeadLetter)
            return try letters.count == Self.poisons.count && stack.read(.locations).count == 1
        }
        for (letter, poison) in zip(letters, Self.poisons) {
            #expect(letter.value == poison.value)
            #expect(letter.headers["__connect.errors.exception.class.name"] == poison.code)
            #expect(letter.headers["__connect.errors.topic"]?.hasSuffix("driver.locations.raw") == true)
        }
        let verdict = try #require(try stack.read(.locations).first)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(verdict.value)) as? [String: Any])
        #expect(json["event_id"] as? String == "0-\(Self.poisons.count)")
        #expect(json["verdict"] as? String == "accepted")
    }
}
