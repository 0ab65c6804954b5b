import JWTKit

/// Provider token for APNs, signed locally.
struct APNSLogin: Sendable {
    /// APNs accepts a token for an hour, and a new one at most every 20 minutes.
    static let renewalSeconds: Int64 = 40 * 60

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int64
        /// No-op: tokens are never verified here.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private let keys: JWTKeyCollection
    private let teamID: String
    private let keyID: String
    private var token = ""
    private var issuedAt: Int64?

    /// - Throws: ``PushSinkError`` for an invalid key.
    init(_ credentials: PushCredentials.APNS) async throws {
        keys = JWTKeyCollection()
        keyID = credentials.keyID
        teamID = credentials.teamID
        do {
            await keys.add(
                ecdsa: try ES256PrivateKey(pem: credentials.keyPEM), kid: JWKIdentifier(string: credentials.keyID))
        } catch {
            throw PushSinkError(
                description: "SIGHTLINE_APNS_KEY_FILE must be Apple's .p8 file with a P-256 private key.",
                isRetriable: false)
        }
    }

    /// Returns the `authorization` header; `nowSeconds` since 1970.
    mutating func authorization(nowSeconds: Int64) async throws -> String {
        if let issuedAt, (issuedAt..<issuedAt + Self.renewalSeconds).contains(nowSeconds) { return "bearer \(token)" }
        token = try await keys.sign(
            Claims(iss: teamID, iat: nowSeconds), kid: JWKIdentifier(string: keyID), header: JWTHeader())
        issuedAt = nowSeconds
        return "bearer \(token)"
    }

    /// Makes the next request create a new token.
    mutating func expire() { issuedAt = nil }
}
