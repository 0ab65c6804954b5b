import Foundation

/// The files of the checkout these tests were built from, and the commands that check them.
package enum Checkout {
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Where `name` is, in the local tools or on the path; `nil` when it is not installed.
    package static func tool(_ name: String) -> URL? {
        let folders =
            [root.appendingPathComponent(".local/bin").path]
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    package static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The paths of all shell scripts, from the root.
    package static func scripts() throws -> [String] {
        let local = try FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent("deploy/local").path)
        return [
            ".ci/run", "deploy/accuracy", "deploy/bench", "deploy/demo", "deploy/fuzz", "deploy/gate", "deploy/test",
            "deploy/compose/certificates", "deploy/compose/secrets", "deploy/postgres/embed",
            "Tests/Containers/kafka/run.sh", "Tests/Containers/redis/docker-entrypoint.sh",
            "Tests/Containers/postgres/docker-entrypoint.sh",
        ] + local.map { "deploy/local/\($0)" }
    }

    /// Runs a command in the checkout's root; both output streams come back as one text.
    ///
    /// `environment`: in place of this process's own.
    package static func run(
        _ tool: URL, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        process.currentDirectoryURL = root
        if let environment { process.environment = environment }
        // Not a pipe: a server that another test starts at that moment would hold its end open, and this would hang.
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).log")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: log) }
        let handle = try FileHandle(forWritingTo: log)
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: log), as: UTF8.self))
    }
}
