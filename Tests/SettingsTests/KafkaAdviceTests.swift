import Foundation
import Testing

@testable import Settings

@Suite("What to do where no broker answers")
struct KafkaAdviceTests {
    /// The advice in a folder two levels below one with these files.
    private func advice(_ files: [String], environment: [String: String] = [:]) throws -> (text: String, root: String) {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(
            "advice-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: root) }
        for file in files + ["a/b/c"] {
            let url = root.appendingPathComponent(file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        let settings = try Settings(for: .commandLine, environment: environment)
        return (settings.kafka.advice(in: root.appendingPathComponent("a/b")), root.path)
    }

    @Test("without any variable it names the one to set")
    func nothingSet() throws {
        let advice = try advice([]).text
        #expect(advice.contains("set KAFKA_BOOTSTRAP_SERVERS"))
        #expect(!advice.contains("deploy/"))
    }

    @Test("inside a checkout whose stack runs it names the file to load, and the script that runs sightline with it")
    func insideCheckout() throws {
        let (advice, root) = try advice([".local/run/env", "deploy/local/stack", "deploy/sl"])
        #expect(advice.contains("`\(root)/deploy/sl`"), "\(advice)")
        #expect(advice.contains("`. \(root)/.local/run/env`"), "\(advice)")
        #expect(try self.advice([".local/run/env"]).text.contains(".local/run/env"))
    }

    @Test("inside a checkout without a running stack it names how to start one")
    func stoppedStack() throws {
        let (advice, root) = try advice(["deploy/local/stack", "deploy/sl"])
        #expect(advice.contains("`\(root)/deploy/local/stack start`"), "\(advice)")
        #expect(!advice.contains("run/env"), "\(advice)")
    }

    @Test(
        "with a variable of Kafka's there is none, because what is set may be wrong",
        arguments: ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "KAFKA_SOCKET_KEEPALIVE_ENABLE": "true"])
    func variableSet(key: String, value: String) throws {
        #expect(try advice([".local/run/env"], environment: [key: value]).text == "")
    }

    @Test("a variable that is blank, or that a container platform sets, does not count", arguments: ["", " "])
    func blank(value: String) throws {
        let environment = ["KAFKA_BOOTSTRAP_SERVERS": value, "KAFKA_SERVICE_HOST": "10.0.0.1"]
        #expect(try advice([], environment: environment).text != "")
    }
}
