import Hummingbird
import Tokens

/// The token of a request: of its `Authorization` header, or of `?token=`.
enum RequestToken {
    /// What the token says.
    /// - Throws: ``RequestError`` with the status 401.
    static func claims(of request: Request, _ gate: TokenGate) async throws -> TokenClaims {
        let header = BearerToken.of(request.headers[.authorization])
        let token = header.isEmpty ? request.uri.queryParameters.get("token") ?? "" : header
        do throws(TokenRejection) {
            return try await gate.verify(token)
        } catch {
            throw RequestError(.unauthorized, GatewayErrorCode(error), error.advice)
        }
    }
}
