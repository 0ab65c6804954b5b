import Foundation
import Processing
import Signatures

/// Login at a push service.
protocol PushLogin: Sendable {
    /// Returns the `authorization` header; `nowSeconds` are seconds since 1970.
    /// - Throws: ``PushLoginError`` if no token can be obtained now.
    mutating func authorization(nowSeconds: Int64, over transport: some PushTransport) async throws -> String

    /// Makes the next request obtain a new token.
    mutating func expire()
}

/// Error of a push service that currently issues no token.
struct PushLoginError: Error, CustomStringConvertible {
    let description: String
}

/// Provider token for APNs, signed locally.
struct APNSLogin: PushLogin {
    /// Age at which a token is replaced; APNs accepts one for an hour, and a new one every 20 min.
    static let renewalSeconds: Int64 = 40 * 60

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    private let credentials: PushCredentials.APNS
    private let key: SignatureKey
    private var token = ""
    private var issuedAt: Int64?

    /// - Throws: ``SinkError`` for an invalid key.
    init(_ credentials: PushCredentials.APNS) throws {
        self.credentials = credentials
        guard let key = SignatureKey(p256PEM: credentials.keyPEM) else {
            throw SinkError("SIGHTLINE_APNS_KEY_FILE must be Apple's .p8 file with a P-256 private key.")
        }
        self.key = key
    }

    mutating func authorization(nowSeconds: Int64, over transport: some PushTransport) async throws -> String {
        if let issuedAt, (issuedAt..<issuedAt + Self.renewalSeconds).contains(nowSeconds) { return "bearer \(token)" }
        token = try SignedToken.encode(
            Claims(iss: credentials.teamID, iat: nowSeconds), key: key, keyID: credentials.keyID)
        issuedAt = nowSeconds
        return "bearer \(token)"
    }

    mutating func expire() { issuedAt = nil }
}

/// Access token for FCM, requested with a signed JWT assertion (RFC 7523).
struct FCMLogin: PushLogin {
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let assertionSeconds: Int64 = 3600
    /// Time before the expiry at which a token is replaced.
    static let spareSeconds: Int64 = 60

    private struct Assertion: Encodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64
    }

    private struct Grant: Decodable {
        let accessToken: String
        let lifetimeSeconds: Int64
        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case lifetimeSeconds = "expires_in"
        }
    }

    private let account: PushCredentials.FCM
    private let key: SignatureKey
    private var token = ""
    private var expiresAt: Int64 = 0

    /// - Throws: ``SinkError`` for an invalid key.
    init(_ account: PushCredentials.FCM) throws {
        self.account = account
        guard let key = SignatureKey(rsaPEM: account.keyPEM) else {
            throw SinkError(
                "The private_key in SIGHTLINE_FCM_CREDENTIALS_FILE must be an RSA key of at least 2048 bits.")
        }
        self.key = key
    }

    mutating func authorization(nowSeconds: Int64, over transport: some PushTransport) async throws -> String {
        if nowSeconds < expiresAt - Self.spareSeconds { return "Bearer \(token)" }
        let assertion = try SignedToken.encode(
            Assertion(
                iss: account.email, scope: Self.scope, aud: account.tokenURL, iat: nowSeconds,
                exp: nowSeconds + Self.assertionSeconds), key: key, keyID: account.keyID)
        let response = try await transport.post(
            PushPost(
                url: account.tokenURL, headers: [("content-type", "application/x-www-form-urlencoded")],
                body: Data(
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)".utf8)))
        guard response.status == 200, let grant = try? JSONDecoder().decode(Grant.self, from: response.body) else {
            throw PushLoginError(description: "token_uri returned HTTP \(response.status)")
        }
        token = grant.accessToken
        expiresAt = nowSeconds + grant.lifetimeSeconds
        return "Bearer \(token)"
    }

    mutating func expire() { expiresAt = 0 }
}
