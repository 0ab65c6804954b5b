import Hummingbird
import Support

/// Verification of a request's token, and rate limit of its user.
struct RequestAdmission: Sendable {
    /// Maximum length of a subject used as key; for longer ones the token's hash is used.
    private static let maximumSubjectBytes = 128

    let tokens: TokenVerifier
    let users: SharedLimits

    /// Returns the claims of the token in the `Authorization` header or `?token=`.
    /// - Throws: ``RequestError`` with status 401 or 429.
    func claims(of request: Request) async throws -> TokenClaims {
        let token = RequestToken.text(of: request)
        let claims = try await RequestToken.claims(of: token, tokens)
        if let wait = users.acquire(Self.user(token, claims), at: ClientSession.now) {
            throw RequestError.tooFast("requests with this token", wait)
        }
        return claims
    }

    /// Returns the key for rate limits: the subject, or a hash of the token if the subject is missing or too long.
    static func user(_ token: String, _ claims: TokenClaims) -> String {
        if let subject = claims.subject, subject.utf8.count <= maximumSubjectBytes { return "sub:\(subject)" }
        return "token:\(ByteSlice.withBytes(of: token) { $0.stableHash })"
    }
}
