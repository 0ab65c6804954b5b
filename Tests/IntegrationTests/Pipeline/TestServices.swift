import Foundation

/// Addresses of the services for integration tests, set by `deploy/test`.
enum TestServices {
    static let kafka = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_KAFKA"]
    static let redis = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_REDIS"]
    static let postgres = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_POSTGRES"]

    static var areAvailable: Bool { kafka != nil && redis != nil && postgres != nil }

    /// SQL options of a role with the password in the test server's URL or password file.
    static var login: String {
        let parts = postgres.flatMap { URLComponents(string: $0) }
        let file = parts?.queryItems?.first { $0.name == "passfile" }?.value
        // host:port:database:user:password
        let line = file.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
        let password = line?.split(whereSeparator: \.isNewline).first?.split(separator: ":").last.map(String.init)
        return "LOGIN PASSWORD '\(password ?? parts?.password ?? "unused")'"
    }

    static let hint = "needs a broker, Redis and Postgres; run deploy/test, which starts them"
}
