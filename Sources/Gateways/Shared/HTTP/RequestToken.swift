import Hummingbird

/// The token of a request: of its `Authorization` header, or of `?token=`.
enum RequestToken {
    /// Empty where there is none.
    static func text(of request: Request) -> String {
        let header = BearerToken.of(request.headers[.authorization])
        return header.isEmpty ? request.uri.queryParameters.get("token") ?? "" : header
    }

    /// What the token says.
    /// - Throws: ``RequestError`` with the status 401.
    static func claims(of request: Request, _ gate: TokenGate) async throws -> TokenClaims {
        try await claims(of: text(of: request), gate)
    }

    /// What a token says.
    /// - Throws: ``RequestError`` with the status 401.
    static func claims(of token: String, _ gate: TokenGate) async throws -> TokenClaims {
        do throws(TokenRejection) {
            return try await gate.verify(token)
        } catch {
            throw RequestError(.unauthorized, GatewayErrorCode(error), error.advice)
        }
    }
}
