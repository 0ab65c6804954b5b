import Testing

@testable import Streaming

@Suite("Checking topics before a start")
struct TopicCheckTests {
    private static let names = TopicNames(prefix: "p.")

    @Test("equal partitions pass, and their number is the answer")
    func equal() throws {
        let check = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: true)
        #expect(try check.judge(["p.a": 6, "p.b": 6, "other": 1]) == 6)
    }

    @Test("every missing topic is named, with the prefix and the fix")
    func missing() {
        let check = TopicCheck(names: Self.names, topics: ["a", "b", "c"], mustAgree: true)
        let error = #expect(throws: WorkerError.self) { try check.judge(["p.b": 6]) }
        #expect(error?.code == .topicMissing)
        #expect(error?.exitCode == 10)
        #expect(error?.message == "Topics are missing: p.a, p.c; create them with `sightline topics create`.")
    }

    @Test("one partition more or less is refused where partitions must agree", arguments: [5, 7])
    func unequal(_ partitions: Int) throws {
        let check = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: true)
        let error = #expect(throws: WorkerError.self) { try check.judge(["p.a": 6, "p.b": partitions]) }
        #expect(error?.code == .partitionsMismatch)
        #expect(error?.message.contains("p.a has 6, p.b has \(partitions)") == true)
        let lenient = TopicCheck(names: Self.names, topics: ["a", "b"], mustAgree: false)
        #expect(try lenient.judge(["p.a": 6, "p.b": partitions]) == 6)
    }
}
