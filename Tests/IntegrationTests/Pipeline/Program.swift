import ChildProcesses
import Foundation
import TestSupport

/// An executable, most often one of the project's, run as a child process; its output goes to a file.
final class Program {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let name: String
    let log: URL
    private let process: ChildProcess

    /// The folder of the executables: where the test bundle itself was built.
    static let folder: URL = {
        let bundle = URL(
            fileURLWithPath: CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) ?? CommandLine.arguments[0]
        )
        return bundle.resolvingSymlinksInPath().deletingLastPathComponent()
    }()

    /// Starts `name` with `arguments`, the parent's environment and `environment` on top.
    ///
    /// `executable`: the project's of that name where it is `nil`.
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

    /// Whether the process has a handler of its own for a signal (Linux).
    func catches(signal: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let mask = line.flatMap { UInt64($0.dropFirst("SigCgt:".count).drop { $0 == "\t" }, radix: 16) } ?? 0
        return mask & (1 << UInt64(signal - 1)) != 0
    }

    /// Waits for the end and returns the exit code.
    func wait() async throws -> Int32 {
        try await eventually("\(name) ends; its output: \(output.suffix(2000))", within: 300) { !self.isRunning }
        return process.wait().code
    }

    /// Runs a program to its end; a non-zero exit is an error that shows the output.
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

    /// Ends the process and those that it started in its group, if it still runs; for `defer`.
    func end() { process.end() }

    /// As ``end()``, and deletes the log; for `defer`, where the folder of logs is not deleted.
    func discard() {
        end()
        try? FileManager.default.removeItem(at: log)
    }
}
