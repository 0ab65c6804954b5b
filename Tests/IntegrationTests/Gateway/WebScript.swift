import ChildProcesses
import Foundation
import TestSupport

/// Python scripts of Tests/Web, run with the packages that deploy/local/install puts into `.local`.
enum WebScript {
    private static let hint = "If a Python package is missing, install it with deploy/local/install --for-tests."
    /// Folder of the package websockets in `.local`.
    static let websockets = "python"

    /// Returns the environment in which Python finds the packages in a folder of `.local`.
    static func environment(_ packages: String = Self.websockets) -> [String: String] {
        ["PYTHONPATH": Checkout.root.appendingPathComponent(".local/\(packages)").path]
    }

    private static func path(_ name: String) -> String {
        Checkout.root.appendingPathComponent("Tests/Web/\(name)").path
    }

    static func python() throws -> URL {
        guard let python = Checkout.tool("python3") else {
            throw Program.Failure(description: "python3 is not installed; apt-get install python3 installs it.")
        }
        return python
    }

    /// Returns the Python interpreter if it finds the package websockets.
    static func pythonWithWebSockets() throws -> URL {
        let all = ProcessInfo.processInfo.environment.merging(environment()) { $1 }
        guard try Checkout.run(try python(), ["-c", "import websockets"], environment: all).code == 0 else {
            throw Program.Failure(
                description: "The Python package websockets is missing; deploy/local/install --for-tests installs it.")
        }
        return try python()
    }

    /// Runs a script and returns its exit code and its output without the lines of passed tests.
    static func run(_ name: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
        let result = try python([path(name)] + arguments)
        let lines = result.output.split(separator: "\n").filter { !$0.hasPrefix("ok ") }
        return (result.code, lines.joined(separator: "\n"))
    }

    /// Runs Python and returns its exit code and output, which ends with a hint about missing packages.
    ///
    /// `packages` is the folder of `.local` with its packages, and `folder` its working directory.
    static func python(
        _ arguments: [String], packages: String = Self.websockets, folder: URL = Checkout.root
    ) throws -> (code: Int32, output: String) {
        let all = ProcessInfo.processInfo.environment.merging(environment(packages)) { $1 }
        let result = try ChildProcess.run(try python().path, arguments, environment: all, folder: folder.path)
        return (result.ending.code, "\(String(decoding: result.output, as: UTF8.self))\n\(hint)")
    }

    static func start(_ name: String, _ arguments: [String], logs: URL) throws -> Program {
        try Program(name, [path(name)] + arguments, executable: try python(), environment: environment(), logs: logs)
    }
}
