import Foundation

/// An executable, most often one of the project's, run as a child process; its output goes to a file.
final class Program {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let name: String
    let log: URL
    private let process = Process()

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
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.executableURL = executable ?? Self.folder.appendingPathComponent(name)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    var isRunning: Bool { process.isRunning }
    var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    func send(signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end and returns the exit code.
    func wait(seconds: Double) async throws -> Int32 {
        try await eventually("\(name) ends", within: seconds) { !self.isRunning }
        return process.terminationStatus
    }

    /// Runs a program to its end; a non-zero exit is an error that shows the output.
    @discardableResult
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String], logs: URL, seconds: Double = 60
    ) async throws -> String {
        let program = try Program(name, arguments, environment: environment, logs: logs)
        let code = try await program.wait(seconds: seconds)
        guard code == 0 else {
            throw Failure(description: "\(name) \(arguments.joined(separator: " ")) exited \(code): \(program.output)")
        }
        let output = program.output
        program.discard()
        return output
    }

    /// Ends the process and those it started in its group, whatever their state; for `defer`.
    func end() {
        if isRunning {
            kill(-process.processIdentifier, SIGKILL)
            send(signal: SIGKILL)
        }
        process.waitUntilExit()
    }

    /// As ``end()``, and deletes the log; for `defer`, where nobody deletes the folder of logs.
    func discard() {
        end()
        try? FileManager.default.removeItem(at: log)
    }
}

/// Waits until `condition` holds, looking again every 50 ms; past the deadline it is a failure that names `what`.
func eventually(_ what: String, within seconds: Double, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw Program.Failure(description: "Not within \(seconds) s: \(what)")
        }
        try await Task.sleep(for: .milliseconds(50))
    }
}
