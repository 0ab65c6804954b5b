import JWTKit

/// Our login at Apple: a token that we sign ourselves.
struct APNSLogin: Sendable {
    /// Apple takes a token for an hour, and a new one every twenty minutes at most.
    static let renewalSeconds: Int64 = 40 * 60

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int64
        /// Nothing: tokens are only made here.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private let keys: JWTKeyCollection
    private let teamID: String
    private let keyID: String
    private var token = ""
    private var issuedAt: Int64?

    /// - Throws: ``PushSinkError`` for a key that is none.
    init(_ credentials: PushCredentials.APNS) async throws {
        keys = JWTKeyCollection()
        keyID = credentials.keyID
        teamID = credentials.teamID
        do {
            await keys.add(
                ecdsa: try ES256PrivateKey(pem: credentials.keyPEM), kid: JWKIdentifier(string: credentials.keyID))
        } catch {
            throw PushSinkError(
                description: "SIGHTLINE_APNS_KEY_FILE has no private key of the curve P-256; it is Apple's .p8 file.",
                isRetriable: false)
        }
    }

    /// The `authorization` of requests; `nowSeconds`: since 1970.
    mutating func authorization(nowSeconds: Int64) async throws -> String {
        if let issuedAt, (issuedAt..<issuedAt + Self.renewalSeconds).contains(nowSeconds) { return "bearer \(token)" }
        token = try await keys.sign(
            Claims(iss: teamID, iat: nowSeconds), kid: JWKIdentifier(string: keyID), header: JWTHeader())
        issuedAt = nowSeconds
        return "bearer \(token)"
    }

    /// Has the next request get a new token.
    mutating func forget() { issuedAt = nil }
}
