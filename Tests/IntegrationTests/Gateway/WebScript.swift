import ChildProcesses
import Foundation
import TestSupport

/// A Python script of Tests/Web, with the packages of deploy/local/install.
enum WebScript {
    private static let hint = "Where one of Python's packages is missing: deploy/local/install --for-tests"
    /// The folder of websockets.
    static let websockets = "python"

    private static func environment(_ packages: String) -> [String: String] {
        ["PYTHONPATH": Checkout.root.appendingPathComponent(".local/\(packages)").path]
    }

    private static func path(_ name: String) -> String {
        Checkout.root.appendingPathComponent("Tests/Web/\(name)").path
    }

    private static func python() throws -> URL {
        guard let python = Checkout.tool("python3") else {
            throw Program.Failure(description: "python3 is not installed; apt-get install python3 installs it.")
        }
        return python
    }

    /// Runs a script to its end.
    ///
    /// Returns its exit code, and what it printed without the promises that hold, so that the others are read first.
    static func run(_ name: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
        let answer = try python([path(name)] + arguments)
        let lines = answer.output.split(separator: "\n").filter { !$0.hasPrefix("ok ") }
        return (answer.code, lines.joined(separator: "\n"))
    }

    /// Runs Python to its end, with the packages of a folder of `.local`.
    ///
    /// `folder`: where it runs; programs leave files there.
    static func python(
        _ arguments: [String], packages: String = Self.websockets, folder: URL = Checkout.root
    ) throws -> (code: Int32, output: String) {
        let all = ProcessInfo.processInfo.environment.merging(environment(packages)) { $1 }
        let result = try ChildProcess.run(try python().path, arguments, environment: all, folder: folder.path)
        return (result.ending.code, "\(String(decoding: result.output, as: UTF8.self))\n\(hint)")
    }

    /// Starts a script.
    static func start(_ name: String, _ arguments: [String], logs: URL) throws -> Program {
        try Program(
            name, [path(name)] + arguments, executable: try python(), environment: environment(websockets), logs: logs)
    }
}
