import ChildProcesses
import Foundation
import Recordings

enum BenchTool {
    /// Runs a program and returns its standard output.
    ///
    /// `program`: a path, or a name that is searched in `PATH`. `environment` overrides variables of this process.
    /// - Throws: ``InputError`` for an exit code other than 0; `ChildProcessError` if the program does not start.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Data {
        let result = try ChildProcess.run(
            program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            includesErrors: false)
        guard result.ending == .exit(0) else {
            throw InputError("\(program) failed with \(result.ending); see its output above.")
        }
        return result.output
    }

    /// Returns the URL of a file in the folder of this program; `nil` if absent.
    static func fileOfThisBuild(_ name: String) -> URL? {
        let folder = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let file = folder?.appendingPathComponent(name)
        return file.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
    }

    /// Returns the path of a program in the folder of this program.
    static func program(_ name: String) throws -> String {
        guard let program = fileOfThisBuild(name), FileManager.default.isExecutableFile(atPath: program.path) else {
            throw InputError("\(name) does not exist in the folder of this program. Build it: deploy/local/build --all")
        }
        return program.path
    }
}
