import ChildProcesses
import Foundation
import Recordings

/// Other programs that a benchmark runs to their end.
enum BenchTool {
    /// Runs a program, found by `PATH` unless it is a path, and returns what it wrote to standard output.
    ///
    /// `environment` comes over this program's own.
    /// - Throws: ``InputError`` when it does not end with exit code 0; `ChildProcessError` when it does not start.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Data {
        let result = try ChildProcess.run(
            program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            includesErrors: false)
        guard result.ending == .exit(0) else {
            throw InputError("\(program) failed with \(result.ending); what it said stands above.")
        }
        return result.output
    }
}
