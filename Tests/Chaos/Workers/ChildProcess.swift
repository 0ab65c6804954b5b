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
            throw ChaosError("\(program.path) is not there; build it first: deploy/local/build")
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
    ///
    /// `codes`: the exit codes that are no failure.
    @discardableResult
    static func sightline(
        _ arguments: [String], _ environment: [String: String], codes: Set<Int32> = [0]
    ) throws -> String {
        try run(executable("sightline"), arguments, environment, codes)
    }

    /// Runs a program of the system, or a script of the checkout, to its end.
    @discardableResult
    static func command(_ words: [String], _ environment: [String: String] = [:]) throws -> String {
        try run(URL(fileURLWithPath: "/usr/bin/env"), words, environment, [0])
    }

    /// Not by Foundation, which waits for every descendant that keeps a descriptor of its: services never let go of it.
    /// - Returns: what it printed.
    /// - Throws: ``ChaosError`` with what it printed when it does not end with one of `codes`.
    private static func run(
        _ program: URL, _ arguments: [String], _ environment: [String: String], _ codes: Set<Int32>
    ) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("chaos-\(UUID().uuidString)").path
        defer { unlink(path) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let words = [program.path] + arguments
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var argv = words.map { strdup($0) } + [nil]
        var environ = variables.map { strdup($0) } + [nil]
        defer { for text in argv + environ { free(text) } }
        var id: pid_t = 0
        guard posix_spawn(&id, program.path, &actions, nil, &argv, &environ) == 0 else {
            throw ChaosError("\(program.path) does not start.")
        }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let output = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        // The low bits name a signal, the next ones the exit code.
        guard status & 0x7f == 0, codes.contains(status >> 8) else {
            let command = ([program.lastPathComponent] + arguments).joined(separator: " ")
            throw ChaosError("\(command) failed (\(status)): \(output.suffix(1500))")
        }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
