import Foundation
import Synchronization
import TestSupport
import Testing

/// The services of compose files as docker-compose understands them, each as the lines of its settings.
struct ComposeServices {
    static let isPossible = Checkout.tool("docker-compose") != nil
    static let hint: Comment = "needs docker-compose; deploy/test installs it"

    private let services: [String]
    /// All that docker-compose prints of the files.
    let text: String

    /// Reads `files`, the first of which names the project's folder.
    ///
    /// `environment`: on top of this process's own, as a user's `.env` would be.
    init(_ files: [String] = ["docker-compose.yml"], environment: [String: String] = [:]) throws {
        text = try Self.printed(files, environment)
        let body = text.components(separatedBy: "\nservices:\n").last ?? ""
        // A service's settings are indented by four blanks, its name by two; what follows the services by none.
        services = body.components(separatedBy: "\nversion:")[0].components(separatedBy: "\nvolumes:")[0]
            .split(separator: /\n(?=  [a-z-]+:\n)/).map { String($0) + "\n" }
    }

    /// Caches the output of docker-compose by files and environment; a run takes two seconds.
    private static let known = Mutex<[String: String]>([:])

    private static func printed(_ files: [String], _ environment: [String: String]) throws -> String {
        let key = "\(files) \(environment.sorted { $0.key < $1.key })"
        return try known.withLock { known in
            if let text = known[key] { return text }
            let compose = try #require(Checkout.tool("docker-compose"))
            let result = try Checkout.run(
                compose, ["--profile", "demo", "--profile", "audit"] + files.flatMap { ["-f", $0] } + ["config"],
                environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
            try #require(result.code == 0, "\(result.output)")
            known[key] = result.output
            return result.output
        }
    }

    var names: [String] {
        services.compactMap { $0.firstMatch(of: /^  ([a-z-]+):\n/).map { String($0.1) } }
    }

    /// The settings of one service, a line each.
    subscript(name: String) -> String {
        get throws { try #require(services.first { $0.hasPrefix("  \(name):\n") }, "there is no service \(name)") }
    }
}
