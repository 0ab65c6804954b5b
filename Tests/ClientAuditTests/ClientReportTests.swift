import Foundation
import Testing

@testable import ClientAudit
@testable import Domain

@Suite("Client audit report")
struct ClientReportTests {
    private func report(exampleLimit: Int) throws -> ClientReport {
        var traffic = ReceivedTraffic.ordinary()
        traffic.connect()
        traffic.subscribed(["3-4", "4-19", "5-19"])
        traffic.receive(7...7)
        return try traffic.compare(exampleLimit: exampleLimit)
    }

    @Test("the text has all counts, and differences with channel, event and line")
    func text() throws {
        let text = try report(exampleLimit: 1).text
        #expect(
            text.hasPrefix("Clients: 1, connections: 1, subscribed channels: 1, full snapshots after the first: 0\n"))
        #expect(text.contains("\n3 compared, 2 missing, (12 after the last one that the client received)\n"))
        #expect(text.contains("\n  missing: trip:a, event 3-5 offset 10: client.log, line 3: "))
        #expect(text.hasSuffix("\n  and 1 more\n2 differences."), "\(text)")
    }

    @Test("the JSON has a count for every kind of difference")
    func json() throws {
        let data = try JSONEncoder().encode(try report(exampleLimit: 1))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let check = try #require((object["checks"] as? [[String: Any]])?.first)
        #expect(object["differences"] as? Int == 2 && check["name"] as? String == "received")
        let counts = try #require(check["differences"] as? [String: Int])
        #expect(counts == ["missing": 2, "duplicate": 0, "out_of_order": 0, "wrong": 0, "unexpected": 0])
        #expect((check["excused"] as? [String: Int])?["beyond_client"] == 12)
        let received = try #require(object["received"] as? [String: Int])
        #expect(received == ["clients": 1, "connections": 1, "channels": 1, "full_refreshes": 0])
    }
}
