import Foundation
import Synchronization
import TestSupport
import Testing

/// Services of compose files as printed by `docker-compose config`.
struct ComposeServices {
    static let isAvailable = Checkout.tool("docker-compose") != nil
    static let hint: Comment = "needs docker-compose; deploy/test installs it"

    private let services: [String]
    /// Complete output of docker-compose.
    let text: String

    /// Reads compose files; the folder of the first one is the project folder.
    ///
    /// `environment` is added to the environment of this process and overrides it.
    init(_ files: [String] = ["docker-compose.yml"], environment: [String: String] = [:]) throws {
        text = try Self.config(files, environment)
        let body = text.components(separatedBy: "\nservices:\n").last ?? ""
        // A service's name is indented by two spaces and its settings by four; later sections are not indented.
        services = body.components(separatedBy: "\nversion:")[0].components(separatedBy: "\nvolumes:")[0]
            .split(separator: /\n(?=  [a-z-]+:\n)/).map { String($0) + "\n" }
    }

    /// Outputs of docker-compose by files and environment, cached because a run takes two seconds.
    private static let cache = Mutex<[String: String]>([:])

    private static func config(_ files: [String], _ environment: [String: String]) throws -> String {
        let key = "\(files) \(environment.sorted { $0.key < $1.key })"
        return try cache.withLock { cache in
            if let text = cache[key] { return text }
            let compose = try #require(Checkout.tool("docker-compose"))
            let result = try Checkout.run(
                compose, ["--profile", "demo", "--profile", "audit"] + files.flatMap { ["-f", $0] } + ["config"],
                environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
            try #require(result.code == 0, "\(result.output)")
            cache[key] = result.output
            return result.output
        }
    }

    var names: [String] {
        services.compactMap { $0.firstMatch(of: /^  ([a-z-]+):\n/).map { String($0.1) } }
    }

    /// Returns the lines of a service.
    subscript(name: String) -> String {
        get throws { try #require(services.first { $0.hasPrefix("  \(name):\n") }, "there is no service \(name)") }
    }
}
