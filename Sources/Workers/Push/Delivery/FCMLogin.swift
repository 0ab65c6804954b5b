import Foundation
import JWTKit

/// Our login at Google: an access token, given for a statement that we sign (RFC 7523).
struct FCMLogin: Sendable {
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    private static let statementSeconds: Int64 = 3600
    /// A token is not used in its last minute: requests take a while.
    static let spareSeconds: Int64 = 60

    private struct Statement: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64
        /// Nothing: statements are only made here.
        func verify(using algorithm: some JWTAlgorithm) {}
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
    private let keys: JWTKeyCollection
    private var token = ""
    private var expiresAt: Int64 = 0

    /// - Throws: ``PushSinkError`` for a key that is none.
    init(_ account: PushCredentials.FCM) async throws {
        self.account = account
        keys = JWTKeyCollection()
        do {
            await keys.add(
                rsa: try Insecure.RSA.PrivateKey(pem: account.keyPEM), digestAlgorithm: .sha256,
                kid: JWKIdentifier(string: account.keyID))
        } catch {
            throw PushSinkError(
                description: "The private_key of SIGHTLINE_FCM_CREDENTIALS_FILE is no RSA key of 2048 bits or more.",
                isRetriable: false)
        }
    }

    /// The `authorization` of requests; `nowSeconds`: since 1970.
    /// - Throws: ``PushLoginError`` when the service gives none now.
    mutating func authorization(nowSeconds: Int64, over transport: some PushTransport) async throws -> String {
        if nowSeconds < expiresAt - Self.spareSeconds { return "Bearer \(token)" }
        let statement = try await keys.sign(
            Statement(
                iss: account.email, scope: Self.scope, aud: account.tokenURL, iat: nowSeconds,
                exp: nowSeconds + Self.statementSeconds), kid: JWKIdentifier(string: account.keyID))
        let answer = try await transport.post(
            PushPost(
                url: account.tokenURL, headers: [("content-type", "application/x-www-form-urlencoded")],
                body: Data(
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(statement)".utf8)))
        guard answer.status == 200, let grant = try? JSONDecoder().decode(Grant.self, from: answer.body) else {
            throw PushLoginError(description: "token_uri answers HTTP \(answer.status)")
        }
        token = grant.accessToken
        expiresAt = nowSeconds + grant.lifetimeSeconds
        return "Bearer \(token)"
    }

    /// Has the next request get a new token.
    mutating func forget() { expiresAt = 0 }
}
