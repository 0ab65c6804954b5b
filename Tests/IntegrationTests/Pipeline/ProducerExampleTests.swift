import Foundation
import Kafka
import Support
import TestSupport
import Testing

/// Python with confluent-kafka, if it is installed.
let pythonWithClient: URL? = Checkout.tool("python3").flatMap { tool in
    (try? Checkout.run(tool, ["-c", "import confluent_kafka"]))?.code == 0 ? tool : nil
}

/// Tests that run the Python, kcat and Swift producers of docs/send-your-own.md if their tools are installed.
@Suite(
    "Producers in docs/send-your-own.md", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct ProducerExampleTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "sightline-producer\(UInt32.random(in: 0...(.max)))")

    /// Writes the code block under a heading to a file.
    private func block(_ heading: String, _ language: String, file: String) throws -> URL {
        let page = try Checkout.text("docs/send-your-own.md")
        let section = try #require(page.components(separatedBy: "\n### \(heading)\n").dropFirst().first)
        let code = try #require(section.components(separatedBy: "```\(language)\n").dropFirst().first)
        let url = folder.appendingPathComponent(file)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(try #require(code.components(separatedBy: "```").first).utf8).write(to: url)
        return url
    }

    /// Runs a producer and expects a verdict for its location, with `session`, in the partition of its key.
    private func expectVerdict(session: String, from tool: URL, _ arguments: [String]) async throws {
        let stack = try await PipelineStack()
        defer { stack.end() }
        try await stack.start("location-worker")
        let environment = ProcessInfo.processInfo.environment.merging(stack.environment) { $1 }
        let sent = try Checkout.run(tool, arguments, environment: environment)
        #expect(sent.code == 0, "\(sent.output)")
        let expected = ByteSlice.withBytes(of: "drv_ann") { murmur2Partition(key: $0, count: 6) }
        let verdict = try await stack.sightline(
            "tail", "driver.locations", "--from-beginning", "--count", "1", "--json")
        #expect(verdict.contains("\"partition\":\(expected),") && verdict.contains(session), "\(verdict)")
        #expect(verdict.contains("accepted"), "\(verdict)")
    }

    @Test(
        "the Python producer sends a location that is accepted",
        .enabled(if: pythonWithClient != nil, "confluent-kafka is not installed for python3."))
    func pythonProducer() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("Python", "python", file: "send.py")
        try await expectVerdict(session: "python", from: try #require(pythonWithClient), [file.path])
    }

    @Test("the Python producer has valid syntax")
    func pythonSyntax() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("Python", "python", file: "send.py")
        let result = try Checkout.run(try #require(Checkout.tool("python3")), ["-m", "py_compile", file.path])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test(
        "the kcat command sends a location that is accepted",
        .enabled(if: Checkout.tool("kcat") != nil, "kcat is not installed."))
    func kcatProducer() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("kcat", "sh", file: "send.sh")
        try await expectVerdict(
            session: "kcat", from: URL(fileURLWithPath: "/usr/bin/env"), ["bash", "-euo", "pipefail", file.path])
    }

    @Test(
        "the Swift producer compiles and sends a location that is accepted",
        .enabled(if: Checkout.tool("swiftc") != nil, "swiftc is not on the path."))
    func swiftProducer() async throws {
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
        "the Java producer has valid syntax",
        .enabled(if: Checkout.tool("javac") != nil, "javac is not installed."))
    func javaSyntax() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try block("Java", "java", file: "Send.java")
        // Without Kafka's library, unknown packages and symbols are the only permitted errors.
        let result = try Checkout.run(
            try #require(Checkout.tool("javac")), ["-d", folder.path, "-Xmaxerrs", "100", file.path])
        let errors = result.output.split(separator: "\n").filter { $0.contains(": error: ") }
        #expect(
            errors.allSatisfy { $0.contains("does not exist") || $0.contains("cannot find symbol") },
            "\(result.output)")
    }

    @Test("the librdkafka producers set the partitioner murmur2_random, and the Java producer uses its default")
    func producerPartitioner() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (heading, language) in [("Python", "python"), ("Go", "go"), ("kcat", "sh"), ("Swift", "swift")] {
            let text = try String(contentsOf: block(heading, language, file: "text"), encoding: .utf8)
            #expect(text.contains("murmur2_random") && text.contains("drv_ann"), "\(heading)")
        }
        let java = try String(contentsOf: block("Java", "java", file: "text"), encoding: .utf8)
        #expect(!java.contains("partitioner") && java.contains("drv_ann"))
    }
}
