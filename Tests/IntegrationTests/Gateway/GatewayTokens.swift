import Foundation
import Gateways
import Runtime
import Support
import TestSupport

/// Tokens for the gateways that tests start.
enum GatewayTokens {
    static let secret = "a secret of the tests, which has more than 32 bytes"
    static let otherSecret = "another secret, which also has more than 32 bytes"

    /// Creates a token that was issued `age` seconds ago.
    static func token(_ grant: TokenGrant, age: Int64 = 0, secret: String = Self.secret) throws -> String {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - age * 1000)
        return try TokenMinter(secret: Secret(secret)).mint(grant, now: now)
    }

    /// Creates a token of a driver's device that is valid for an hour.
    static func token(driver: String) throws -> String {
        try token(TokenGrant(driver: driver, lifetimeSeconds: 3600))
    }

    /// Encodes tokens by name as JSON.
    static func json(_ tokens: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(tokens), as: UTF8.self)
    }
}
