import Testing

@testable import Chaos

@Suite("Refused writes")
struct ProduceRefusalTests {
    /// Returns a Produce request as librdkafka sends it, with placeholder bytes for the records.
    private static func request(version: UInt8, topic: String, partition: UInt8) -> [UInt8] {
        let name = Array(topic.utf8)
        var body: [UInt8] = [0, 0, 0, version, 0, 0, 0, 1, 0, 3] + Array("abc".utf8)
        if version >= 9 {
            body += [0, 0, 255, 255, 0, 0, 117, 48, 2, UInt8(name.count + 1)] + name + [2]
        } else {
            body += [255, 255, 255, 255, 0, 0, 117, 48, 0, 0, 0, 1, 0, UInt8(name.count)] + name + [0, 0, 0, 1]
        }
        body += [0, 0, 0, partition] + [UInt8](repeating: 9, count: 40)
        return [0, 0, 0, UInt8(body.count)] + body
    }

    @Test("topic and partition of a Produce request are read in the old and the compact encoding", arguments: 3...11)
    func reading(version: Int) throws {
        let bytes = Self.request(version: UInt8(version), topic: "a.driver.locations", partition: 4)
        let request = try #require(ProduceRequest(bytes[...]))
        #expect(request.topic == Array("a.driver.locations".utf8))
        #expect(request.partition == 4)
        for length in 0..<40 { #expect(ProduceRequest(bytes[..<length]) == nil) }
    }

    @Test("only writes to the refused partition get NOT_LEADER_OR_FOLLOWER")
    func refusing() throws {
        let refusal = ProduceRefusal(topic: "driver.locations", partition: 4)
        for (topic, partition) in [("a.driver.locations", UInt8(3)), ("a.trip.etas", 4), ("a.driver.locationx", 4)] {
            let bytes = Self.request(version: 9, topic: topic, partition: partition)
            #expect(refusal.outcome(of: bytes[...]) == .forward)
        }
        let bytes = Self.request(version: 9, topic: "a.driver.locations", partition: 4)
        guard case .respond(let answer) = refusal.outcome(of: bytes[...]) else {
            Issue.record("The write was not refused.")
            return
        }
        #expect(Int(answer[3]) == answer.count - 4)
        #expect(Array(answer[4..<8]) == Array(bytes[8..<12]), "the correlation id of the request")
        let end = try #require(answer.firstRange(of: Array("a.driver.locations".utf8))?.upperBound)
        #expect(Array(answer[end...].prefix(7)) == [2, 0, 0, 0, 4, 0, 6], "one partition, 4, NOT_LEADER_OR_FOLLOWER")
    }

    @Test("fetch requests are never refused")
    func otherRequests() {
        var bytes = Self.request(version: 9, topic: "a.driver.locations", partition: 4)
        bytes[5] = 1
        #expect(ProduceRefusal(topic: "driver.locations", partition: 4).outcome(of: bytes[...]) == .forward)
        #expect(ProduceRefusal(topic: "driver.locations").outcome(of: bytes[...]) == .forward)
    }
}
