import NIOCore
import Runtime
import Support

/// Verifies tokens off the event loop and returns the result on it.
final class TokenGate: TokenVerifying {
    private let verifier: TokenVerifier

    init(_ verifier: TokenVerifier) { self.verifier = verifier }

    func verify(_ token: String) async throws(TokenRejection) -> TokenClaims {
        guard !token.isEmpty else { throw .missing }
        return try await verifier.verify(token, now: Timestamp(milliseconds: WallClock.milliseconds()))
    }

    /// Changes when keys change; see ``isInUse(_:)``.
    var keyGeneration: Int { verifier.keyGeneration }

    /// Whether the key that verified these claims is still in use.
    func isInUse(_ claims: TokenClaims) -> Bool { claims.key.map { verifier.isInUse($0) } ?? true }

    func verify(
        _ token: String, on loop: any EventLoop,
        _ answer: @escaping @Sendable (Result<TokenClaims, TokenRejection>) -> Void
    ) {
        Task {
            let result: Result<TokenClaims, TokenRejection>
            do throws(TokenRejection) {
                result = .success(try await verify(token))
            } catch {
                result = .failure(error)
            }
            loop.execute { answer(result) }
        }
    }
}

/// Verifies the tokens of handshakes.
protocol TokenVerifying: Sendable {
    /// Verifies a token; calls `answer` on `loop`.
    func verify(
        _ token: String, on loop: any EventLoop,
        _ answer: @escaping @Sendable (Result<TokenClaims, TokenRejection>) -> Void)
}
