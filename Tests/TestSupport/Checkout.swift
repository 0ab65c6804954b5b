import ChildProcesses
import Foundation

/// Files and scripts of the checkout that the tests were built from.
package enum Checkout {
    package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Folder of this package's executables, which also contains the test bundle.
    package static let programs: URL = {
        let bundle = URL(
            fileURLWithPath: CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) ?? CommandLine.arguments[0]
        )
        return bundle.resolvingSymlinksInPath().deletingLastPathComponent()
    }()

    /// Returns the path of a tool in `.local/bin` or on `PATH`; `nil` if it is not installed.
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

    /// Returns the paths of all shell scripts, relative to the root.
    package static func scripts() throws -> [String] {
        let local = try FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent("deploy/local").path)
        return [
            ".ci/run", "deploy/accuracy", "deploy/bench", "deploy/demo", "deploy/fuzz", "deploy/gate", "deploy/release",
            "deploy/sl", "deploy/soak", "deploy/test",
            "deploy/compose/certificates", "deploy/compose/secrets",
            "Tests/Containers/kafka/run.sh", "Tests/Containers/redis/docker-entrypoint.sh",
            "Tests/Containers/postgres/docker-entrypoint.sh",
        ] + local.map { "deploy/local/\($0)" }
    }

    /// Runs a tool in the checkout's root, and returns its exit code and its whole output.
    ///
    /// The output is stdout and stderr; `environment` replaces the environment that the tool would inherit.
    package static func run(
        _ tool: URL, _ arguments: [String], environment: [String: String]? = nil
    ) throws -> (code: Int32, output: String) {
        let result = try ChildProcess.run(tool.path, arguments, environment: environment, folder: root.path)
        return (result.ending.code, String(decoding: result.output, as: UTF8.self))
    }
}
