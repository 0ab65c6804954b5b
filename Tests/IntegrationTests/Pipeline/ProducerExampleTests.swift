import Foundation
import Kafka
import Support
import TestSupport
import Testing

/// A Python that has confluent-kafka, which nothing else here needs.
let pythonWithClient: URL? = Checkout.tool("python3").flatMap { tool in
    (try? Checkout.run(tool, ["-c", "import confluent_kafka"]))?.code == 0 ? tool : nil
}

/// The producers of docs/send-your-own.md, each run as it stands there, where what it needs is installed.
@Suite(
    "The producers of the page about locations of one's own", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct ProducerExampleTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "sightline-producer\(UInt32.random(in: 0...(.max)))")

    /// The page's block under a heading, as a file.
    private func block(_ heading: String, _ language: String, file: String) throws -> URL {
        let page = try Checkout.text("docs/send-your-own.md")
        let section = try #require(page.components(separatedBy: "\n### \(heading)\n").dropFirst().first)
        let code = try #require(section.components(separatedBy: "```\(language)\n").dropFirst().first)
        let url = folder.appendingPathComponent(file)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(try #require(code.components(separatedBy: "```").first).utf8).write(to: url)
        return url
    }

    /// Runs a producer and expects its location, with `session`, to be judged in the partition of its key.
    private func expectVerdict(session: String, from tool: URL, _ arguments: [String]) async throws {
        let stack = try await PipelineStack()
        defer { stack.end() }
        try await stack.start("location-worker")
        let environment = ProcessInfo.processInfo.environment.merging(stack.environment) { $1 }
        let sent = try Checkout.run(tool, arguments, environment: environment)
        #expect(sent.code == 0, "\(sent.output)")
        let right = ByteSlice.withBytes(of: "drv_ann") { murmur2Partition(key: $0, count: 6) }
        let verdict = try await stack.sightline(
            "tail", "driver.locations", "--from-beginning", "--count", "1", "--json")
        #expect(verdict.contains("\"partition\":\(right),") && verdict.contains(session), "\(verdict)")
        #expect(verdict.contains("accepted"), "\(verdict)")
    }

    @Test(
        "the one in Python sends a location that is accepted",
        .enabled(if: pythonWithClient != nil, "confluent-kafka is not installed for python3."))
    func python() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("Python", "python", file: "send.py")
        try await expectVerdict(session: "python", from: try #require(pythonWithClient), [file.path])
    }

    @Test("the one in Python is Python")
    func pythonSyntax() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("Python", "python", file: "send.py")
        let result = try Checkout.run(try #require(Checkout.tool("python3")), ["-m", "py_compile", file.path])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test(
        "the one with kcat sends a location that is accepted",
        .enabled(if: Checkout.tool("kcat") != nil, "kcat is not installed."))
    func kcat() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("kcat", "sh", file: "send.sh")
        try await expectVerdict(
            session: "kcat", from: URL(fileURLWithPath: "/usr/bin/env"), ["bash", "-euo", "pipefail", file.path])
    }

    @Test(
        "the one in Swift is compiled, and sends a location that is accepted",
        .enabled(if: Checkout.tool("swiftc") != nil, "swiftc is not on the path."))
    func swift() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("Swift", "swift", file: "main.swift")
        let program = folder.appendingPathComponent("send")
        let built = try Checkout.run(
            try #require(Checkout.tool("swiftc")),
            [
                "-swift-version", "6", "-warnings-as-errors", "-I", "Sources/CLibraries/CRdKafka",
                "-module-cache-path", folder.appendingPathComponent("cache").path, "-o", program.path, file.path,
            ])
        #expect(built.code == 0, "\(built.output)")
        try await expectVerdict(session: "swift", from: program, [])
    }

    @Test(
        "the one in Java is Java",
        .enabled(if: Checkout.tool("javac") != nil, "javac is not installed."))
    func java() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("Java", "java", file: "Send.java")
        // Without Kafka's library its names are unknown; what is wrong with the rest would be named beside them.
        let result = try Checkout.run(
            try #require(Checkout.tool("javac")), ["-d", folder.path, "-Xmaxerrs", "100", file.path])
        let errors = result.output.split(separator: "\n").filter { $0.contains(": error: ") }
        #expect(
            errors.allSatisfy { $0.contains("does not exist") || $0.contains("cannot find symbol") },
            "\(result.output)")
    }

    @Test("each on librdkafka names the partitioner of Kafka's Java client, and has the driver that is the key")
    func partitioner() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (heading, language) in [("Python", "python"), ("Go", "go"), ("kcat", "sh"), ("Swift", "swift")] {
            let text = try String(contentsOf: block(heading, language, file: "text"), encoding: .utf8)
            #expect(text.contains("murmur2_random") && text.contains("drv_ann"), "\(heading)")
        }
        let java = try String(contentsOf: block("Java", "java", file: "text"), encoding: .utf8)
        #expect(!java.contains("partitioner") && java.contains("drv_ann"))
    }
}
