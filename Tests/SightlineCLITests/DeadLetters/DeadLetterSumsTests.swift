import Foundation
import Testing

@testable import Codec
@testable import SightlineCLI

@Suite("Counts of dead letters")
struct DeadLetterSumsTests {
    private func letter(
        _ reason: String?, topic: String = "driver.locations.dead-letter", offset: Int64, at timestamp: Int64
    ) -> DeadLetterSums.Letter {
        var headers = [
            "__connect.errors.exception.message": "Message \(offset)", "sightline-field": "latitude",
        ]
        headers["__connect.errors.exception.class.name"] = reason
        return DeadLetterSums.Letter(
            topic: topic, partition: 2, offset: offset, timestamp: timestamp, key: "drv_1",
            headers: DeadLetterHeaders(headers))
    }

    private func sums() -> DeadLetterSums {
        var sums = DeadLetterSums()
        sums.add(letter("OUT_OF_RANGE", offset: 1, at: 5000))
        sums.add(letter("OUT_OF_RANGE", offset: 2, at: 9000))
        sums.add(letter("OUT_OF_RANGE", offset: 3, at: 7000))
        sums.add(letter("OUT_OF_RANGE", topic: "trips.dead-letter", offset: 4, at: 1000))
        sums.add(letter(nil, offset: 5, at: 1000))
        return sums
    }

    @Test("dead letters are counted by topic and reason, the largest count first, with the newest letter of each")
    func sorted() throws {
        let ordered = sums().ordered
        #expect(ordered.map { $0.sum.count } == [3, 1, 1])
        #expect(ordered.map { $0.reason } == ["OUT_OF_RANGE", DeadLetterSums.noReason, "OUT_OF_RANGE"])
        let first = try #require(ordered.first)
        #expect(first.sum.last.offset == 2)
        #expect(sums().count == 5)
    }

    @Test(
        "the table fits the given width, and contains the reason and the newest letter's time and message",
        arguments: [nil, 80, 42])
    func table(width: Int?) {
        let lines = sums().table(width: width)
        if let width { #expect(lines.allSatisfy { $0.count <= width }, "\(lines)") }
        let text = lines.joined(separator: "\n")
        for part in ["OUT_OF_RANGE", "1970-01-01T00:00:09.000Z", "Message 2"] {
            #expect(text.contains(part), "\(text)")
        }
        if width == nil { #expect(text.contains("2-2")) }
    }

    @Test("the JSON has the counts, and the newest letter as an example")
    func json() throws {
        let data = try ReportFile.json(DeadLetterReport(sums(), from: 0, to: 10_000))
        let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(json["count"] as? Int == 5 && json["from"] as? String == "1970-01-01T00:00:00.000Z")
        let reasons = try #require(json["reasons"] as? [[String: Any]])
        #expect(reasons.first?["count"] as? Int == 3 && reasons.first?["last_offset"] as? Int == 2)
        #expect((reasons.first?["example"] as? [String: Any])?["field"] as? String == "latitude")
    }
}
