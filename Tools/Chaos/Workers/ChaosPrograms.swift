import ChildProcesses
import Foundation

/// Runs programs of the project and of the system as child processes.
enum ChaosPrograms {
    static let root = FileManager.default.currentDirectoryPath

    /// Returns the URL of a program in the folder of this program.
    static func executable(_ name: String) throws -> URL {
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? URL(fileURLWithPath: "/")
        let program = own.deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw ChaosError("\(program.path) does not exist. Build it: deploy/local/build chaos")
        }
        return program
    }

    /// Creates a link in `folder` through which `sightline` runs as the worker or gateway `name`; returns its path.
    static func component(_ name: String, in folder: String) throws -> String {
        let link = "\(folder)/\(name)"
        if !FileManager.default.fileExists(atPath: link) {
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: executable("sightline").path)
        }
        return link
    }

    /// Runs `sightline`, which must exit with one of `codes`, and returns its output.
    @discardableResult
    static func sightline(
        _ arguments: [String], _ environment: [String: String], codes: Set<Int32> = [0]
    ) throws -> String {
        try run(executable("sightline"), arguments, environment, codes)
    }

    /// Runs `sightline-client-audit`, which exits with 1 if it finds differences.
    static func clientAudit(_ arguments: [String], _ environment: [String: String]) throws -> String {
        try run(executable("sightline-client-audit"), arguments, environment, [0, 1])
    }

    @discardableResult
    static func command(_ words: [String]) throws -> String {
        try run(URL(fileURLWithPath: "/usr/bin/env"), words, [:], [0])
    }

    /// Runs a program and returns its output without surrounding white space.
    /// - Throws: ``ChaosError`` with the end of the output if the exit code is not one of `codes`.
    private static func run(
        _ program: URL, _ arguments: [String], _ environment: [String: String], _ codes: Set<Int32>
    ) throws -> String {
        let result = try ChildProcess.run(program.path, arguments, environment: merged(environment))
        let output = String(decoding: result.output, as: UTF8.self)
        guard case .exit(let code) = result.ending, codes.contains(code) else {
            let command = ([program.lastPathComponent] + arguments).joined(separator: " ")
            throw ChaosError("\(command) failed (\(result.ending)): \(output.suffix(1500))")
        }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the environment of this process, overridden by `variables`.
    static func merged(_ variables: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }

    static func logTail(_ path: String, _ count: Int) -> String {
        String(((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").suffix(count))
    }
}

/// Steady load by `sightline simulate`, which runs until SIGINT.
final class Load {
    private let process: ChildProcess
    private let logPath: String

    init(
        drivers: Int, seed: UInt64, lingerMilliseconds: Int, environment: [String: String], folder: String
    ) throws {
        logPath = "\(folder)/load.log"
        var merged = ChaosPrograms.merged(environment)
        merged["KAFKA_LINGER_MS"] = String(lingerMilliseconds)
        process = try ChildProcess(
            ChaosPrograms.executable("sightline").path,
            ["simulate", "--drivers", String(drivers), "--seed", String(seed)], environment: merged,
            output: .file(logPath))
    }

    /// Throws ``ChaosError`` if the load has ended.
    func check() throws {
        if let ending = process.ending { throw failure("ended with \(ending)") }
    }

    /// Ends the load and waits until everything is sent.
    func finish(supervising fleet: Fleet) throws {
        try check()
        process.send(SIGINT)
        guard try fleet.wait(upTo: 90, until: { !process.isRunning }) != nil else {
            throw failure("did not end within 90 s")
        }
        let ending = process.wait()
        guard ending == .exit(0) else { throw failure("ended with \(ending)") }
    }

    private func failure(_ text: String) -> ChaosError {
        ChaosError("The load \(text): \(ChaosPrograms.logTail(logPath, 800))")
    }
}
