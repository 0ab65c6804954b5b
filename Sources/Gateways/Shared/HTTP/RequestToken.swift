import Foundation
import Hummingbird

/// Token of a request, from the `Authorization` header or else from `?token=`.
enum RequestToken {
    /// Returns the token; an empty string if absent.
    static func text(of request: Request) -> String {
        let header = BearerToken.of(request.headers[.authorization])
        return header.isEmpty ? request.uri.queryParameters.get("token") ?? "" : header
    }

    /// Verifies the token of a request and returns its claims.
    /// - Throws: ``RequestError`` with status 401.
    static func claims(of request: Request, _ tokens: TokenVerifier) async throws -> TokenClaims {
        try await claims(of: text(of: request), tokens)
    }

    /// Verifies a token and returns its claims.
    /// - Throws: ``RequestError`` with status 401.
    static func claims(of token: String, _ tokens: TokenVerifier) async throws -> TokenClaims {
        do throws(TokenRejection) {
            return try await tokens.verify(token)
        } catch {
            throw RequestError(.unauthorized, error.answer.code, error.answer.text)
        }
    }
}

/// Token of an `Authorization` header.
enum BearerToken {
    /// Returns the token; an empty string if absent.
    static func of(_ header: String?) -> String {
        guard let words = header?.split(separator: " ", maxSplits: 1), words.count == 2,
            words[0].lowercased() == "bearer"
        else { return "" }
        return words[1].trimmingCharacters(in: .whitespaces)
    }
}
