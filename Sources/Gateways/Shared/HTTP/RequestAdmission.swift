import Hummingbird
import Support

/// Lets requests in that have a token, as often as its holder may ask.
struct RequestAdmission: Sendable {
    /// A longer subject is not kept; its token counts instead.
    private static let maximumSubjectBytes = 128

    let tokens: TokenGate
    let users: SharedLimits

    /// What the token of a request says: of its `Authorization` header, or of `?token=`.
    /// - Throws: ``RequestError`` with the status 401 or 429.
    func claims(of request: Request) async throws -> TokenClaims {
        let token = RequestToken.text(of: request)
        let claims = try await RequestToken.claims(of: token, tokens)
        if let wait = users.take(Self.user(token, claims), at: ClientSession.now) {
            throw RequestError.tooFast("Requests with this token", wait)
        }
        return claims
    }

    /// Whose requests count together: those of a subject, and without one those of a token.
    static func user(_ token: String, _ claims: TokenClaims) -> String {
        if let subject = claims.subject, subject.utf8.count <= maximumSubjectBytes { return "sub:\(subject)" }
        return "token:\(ByteSlice.withBytes(of: token) { $0.stableHash })"
    }
}
