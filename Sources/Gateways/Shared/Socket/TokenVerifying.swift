import NIOCore

/// Judges the tokens of handshakes.
protocol TokenVerifying: Sendable {
    /// Judges a token; `answer` is called on `loop`.
    func verify(
        _ token: String, on loop: any EventLoop,
        _ answer: @escaping @Sendable (Result<TokenClaims, TokenRejection>) -> Void)
}
