import Foundation
import TestSupport
import Testing

@Suite("Options of the scripts", .blocking)
struct ScriptOptionTests {
    /// Runs a command such as "deploy/test containers" with additional arguments.
    private func run(_ command: String, _ arguments: String...) throws -> (code: Int32, output: String) {
        let words = command.split(separator: " ").map(String.init)
        return try Checkout.run(
            Checkout.root.appendingPathComponent(words[0]), Array(words.dropFirst()) + arguments)
    }

    @Test(
        "--help prints the usage without building",
        arguments: [
            "deploy/accuracy", "deploy/bench", "deploy/demo", "deploy/fuzz", "deploy/gate", "deploy/release",
            "deploy/soak",
            "deploy/test", "deploy/test containers", "deploy/test map", "deploy/local/build",
            "deploy/local/newcomer",
        ])
    func help(command: String) throws {
        let result = try run(command, "--help")
        #expect(result.code == 0, "\(result.output)")
        #expect(result.output.contains(command), "\(result.output)")
        #expect(!result.output.contains("set -e"), "The help includes code of the script: \(result.output)")
    }

    @Test(
        "an unknown option is an error before any build",
        arguments: [
            "deploy/accuracy", "deploy/demo", "deploy/gate", "deploy/release", "deploy/soak", "deploy/test containers",
        ])
    func unknownOption(command: String) throws {
        let result = try run(command, "--unknown")
        #expect(result.code == 2 && result.output.contains("unknown option '--unknown'"), "\(result.output)")
    }

    @Test("deploy/bench --json without a file is an error before any build")
    func missingFile() throws {
        let result = try run("deploy/bench", "location", "--json")
        #expect(result.code == 2 && result.output.contains("--json needs the name of"), "\(result.output)")
    }
}
