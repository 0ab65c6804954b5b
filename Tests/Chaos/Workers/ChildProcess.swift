import Foundation

/// Programs of the project and of the system, run as children.
enum ChildProcess {
    /// The checkout's root, where the scripts are.
    static let root = FileManager.default.currentDirectoryPath

    /// A program that was built together with this one.
    static func executable(_ name: String) throws -> URL {
        let own = Bundle.main.executableURL?.resolvingSymlinksInPath() ?? URL(fileURLWithPath: "/")
        let program = own.deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw ChaosError("\(program.path) is not there; build it first: swift build -c release")
        }
        return program
    }

    /// A file to write to, opened at its end.
    static func log(_ path: String) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let handle = FileHandle(forWritingAtPath: path) else { throw ChaosError("\(path) cannot be written.") }
        handle.seekToEndOfFile()
        return handle
    }

    /// Runs `sightline` to its end.
    @discardableResult
    static func sightline(_ arguments: [String], _ environment: [String: String]) throws -> String {
        try run(executable("sightline"), arguments, environment)
    }

    /// Runs a program of the system, or a script of the checkout, to its end.
    @discardableResult
    static func command(_ words: [String], _ environment: [String: String] = [:]) throws -> String {
        try run(URL(fileURLWithPath: "/usr/bin/env"), words, environment)
    }

    /// - Returns: what it printed.
    /// - Throws: ``ChaosError`` with what it printed when it does not end with 0.
    private static func run(_ program: URL, _ arguments: [String], _ environment: [String: String]) throws -> String {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        // A file and no pipe: a service that the command leaves behind may hold its end for ever.
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("chaos-\(UUID().uuidString)").path
        let file = try log(path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        process.standardOutput = file
        process.standardError = file
        try process.run()
        process.waitUntilExit()
        let output = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        guard process.terminationStatus == 0 else {
            let command = ([program.lastPathComponent] + arguments).joined(separator: " ")
            throw ChaosError("\(command) ended with \(process.terminationStatus): \(output.suffix(1500))")
        }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
