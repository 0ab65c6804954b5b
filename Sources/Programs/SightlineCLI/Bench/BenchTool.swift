import Foundation
import Recordings

/// Other programs that a benchmark runs to their end.
enum BenchTool {
    /// Runs a program, found by `PATH` unless it is a path, and returns what it wrote to standard output.
    ///
    /// `environment` comes over this program's own.
    /// - Throws: ``InputError`` when it does not start or does not end with exit code 0.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Data {
        let process = Foundation.Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw InputError("\(program) failed with \(process.terminationStatus); what it said stands above.")
        }
        return output
    }
}
