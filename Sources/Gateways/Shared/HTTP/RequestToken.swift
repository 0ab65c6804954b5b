import Hummingbird

/// Reads the token of a request from the `Authorization` header or `?token=`.
enum RequestToken {
    /// Returns the token, or an empty string if absent.
    static func text(of request: Request) -> String {
        let header = BearerToken.of(request.headers[.authorization])
        return header.isEmpty ? request.uri.queryParameters.get("token") ?? "" : header
    }

    /// Verifies the token of a request.
    /// - Throws: ``RequestError`` with status 401.
    static func claims(of request: Request, _ gate: TokenGate) async throws -> TokenClaims {
        try await claims(of: text(of: request), gate)
    }

    /// Verifies a token.
    /// - Throws: ``RequestError`` with status 401.
    static func claims(of token: String, _ gate: TokenGate) async throws -> TokenClaims {
        do throws(TokenRejection) {
            return try await gate.verify(token)
        } catch {
            throw RequestError(.unauthorized, GatewayErrorCode(error), error.advice)
        }
    }
}
