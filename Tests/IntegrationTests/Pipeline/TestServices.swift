import Foundation

/// Where the services for integration tests are; set by `deploy/test`.
enum TestServices {
    static let kafka = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_KAFKA"]
    static let redis = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_REDIS"]
    static let postgres = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_POSTGRES"]

    static var areAvailable: Bool { kafka != nil && redis != nil && postgres != nil }

    static let hint = "needs a broker, Redis and Postgres; run deploy/test, which starts them"
}
