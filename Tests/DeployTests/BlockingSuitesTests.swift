import ChildProcesses
import Foundation
import TestSupport
import Testing

@Suite("Suites that block a thread")
struct BlockingSuitesTests {
    /// Texts that occur only in tests that block a thread with programs, services, sockets or waits.
    private static let indicators = [
        "Checkout.run(", "ChildProcess", "Program(", "Program.run(", "TestServer", "PipelineStack", "HistoryDatabase",
        "RedisFixture", "KafkaTestTopics", "KafkaAdmin(", "KafkaReader(", "MockCluster", "EndpointFixture",
        "LoopbackHTTP", "Loopback.", "eventually(",
    ]

    @Test("every suite that starts programs, uses services or waits has the trait .blocking")
    func blockingSuitesHaveTrait() throws {
        let tests = Checkout.root.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var blocking = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let path = file.path.dropFirst(tests.path.count + 1)
            guard path != "DeployTests/BlockingSuitesTests.swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            guard Self.indicators.contains(where: text.contains) else { continue }
            for suite in Self.suites(of: text) {
                blocking += 1
                #expect(suite.contains(".blocking"), "Give the suite in Tests/\(path) the trait .blocking: \(suite)")
            }
        }
        #expect(blocking > 30, "The indicators above no longer find the suites that block.")
    }

    /// Returns the attributes `@Suite(…)` of a file, each up to the declaration of its type.
    private static func suites(of text: String) -> [Substring] {
        text.ranges(of: "@Suite").map { range in
            let rest = text[range.lowerBound...]
            return rest[
                ..<(rest.firstRange(of: "\nstruct ") ?? rest.firstRange(of: "\nfinal class ") ?? rest
                    .endIndex..<rest.endIndex).lowerBound]
        }
    }
}
