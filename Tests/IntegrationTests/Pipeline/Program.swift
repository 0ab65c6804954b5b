import ChildProcesses
import Foundation
import TestSupport

/// Child process of an executable, usually of this package, with its output in a file.
final class Program {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let name: String
    let log: URL
    private let process: ChildProcess

    /// Folder of this package's executables, which also contains the test bundle.
    static let folder = Checkout.programs

    /// Starts `executable` (default: this package's `name`); `environment` is added to this process's environment.
    init(
        _ name: String, _ arguments: [String] = [], executable: URL? = nil, environment: [String: String] = [:],
        logs: URL = FileManager.default.temporaryDirectory
    ) throws {
        self.name = name
        log = logs.appendingPathComponent("\(name)-\(UUID().uuidString.prefix(8)).log")
        process = try ChildProcess(
            (executable ?? Self.folder.appendingPathComponent(name)).path, arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, output: .file(log.path))
    }

    var isRunning: Bool { process.isRunning }
    var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    func send(signal: Int32) { process.send(signal) }

    /// Returns whether the process has a handler for a signal (Linux).
    func catches(signal: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let mask = line.flatMap { UInt64($0.dropFirst("SigCgt:".count).drop { $0 == "\t" }, radix: 16) } ?? 0
        return mask & (1 << UInt64(signal - 1)) != 0
    }

    /// Waits for the end of the process and returns its exit code.
    func wait() async throws -> Int32 {
        try await eventually("\(name) has ended; its output: \(output.suffix(2000))", within: 300) { !self.isRunning }
        return process.wait().code
    }

    /// Runs a program to its end and returns its output; throws on a non-zero exit code.
    @discardableResult
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String], logs: URL
    ) async throws -> String {
        let program = try Program(name, arguments, environment: environment, logs: logs)
        let code = try await program.wait()
        guard code == 0 else {
            throw Failure(description: "\(name) \(arguments.joined(separator: " ")) exited \(code): \(program.output)")
        }
        let output = program.output
        program.discard()
        return output
    }

    /// Ends the process and its process group if it still runs.
    func end() { process.end() }

    /// Ends the process and deletes its log.
    func discard() {
        end()
        try? FileManager.default.removeItem(at: log)
    }
}
