import ChildProcesses
import Foundation

/// Programs of the project and of the system, run as children.
enum ChaosPrograms {
    /// The checkout's root, where the scripts are.
    static let root = FileManager.default.currentDirectoryPath

    /// A program that was built together with this one.
    static func executable(_ name: String) throws -> URL {
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? URL(fileURLWithPath: "/")
        let program = own.deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw ChaosError("\(program.path) is not there; build it first: deploy/local/build chaos")
        }
        return program
    }

    /// Runs `sightline` to its end.
    ///
    /// `codes`: the exit codes that are no failure; `programs`: the folder of another build's programs.
    @discardableResult
    static func sightline(
        _ arguments: [String], _ environment: [String: String], codes: Set<Int32> = [0], programs: String? = nil
    ) throws -> String {
        let program = try programs.map { URL(fileURLWithPath: "\($0)/sightline") } ?? executable("sightline")
        return try run(program, arguments, environment, codes)
    }

    /// Runs `sightline-client-audit`, whose exit code 1 reports differences.
    static func clientAudit(_ arguments: [String], _ environment: [String: String]) throws -> String {
        try run(executable("sightline-client-audit"), arguments, environment, [0, 1])
    }

    /// Runs a program of the system, or a script of the checkout, to its end.
    @discardableResult
    static func command(_ words: [String], _ environment: [String: String] = [:]) throws -> String {
        try run(URL(fileURLWithPath: "/usr/bin/env"), words, environment, [0])
    }

    /// - Returns: what it printed.
    /// - Throws: ``ChaosError`` with what it printed when it does not end with one of `codes`.
    private static func run(
        _ program: URL, _ arguments: [String], _ environment: [String: String], _ codes: Set<Int32>
    ) throws -> String {
        let result = try ChildProcess.run(program.path, arguments, environment: over(environment))
        let output = String(decoding: result.output, as: UTF8.self)
        guard case .exit(let code) = result.ending, codes.contains(code) else {
            let command = ([program.lastPathComponent] + arguments).joined(separator: " ")
            throw ChaosError("\(command) failed (\(result.ending)): \(output.suffix(1500))")
        }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// This process's environment, with `variables` over it.
    static func over(_ variables: [String: String]) -> [String: String] {
        ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }
}
