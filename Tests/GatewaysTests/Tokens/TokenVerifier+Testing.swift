@testable import Gateways
@testable import Runtime
@testable import Support

extension TokenVerifier {
    /// Creates a verifier with the secret of ``TestIssuer``.
    convenience init(
        secret: String? = TestIssuer.secret, keyFile: String? = nil, issuer: String? = nil, audience: String? = nil
    ) async throws {
        try await self.init(
            TokenConfiguration(
                secret: secret.map { Secret($0) }, jwksFile: keyFile, issuer: issuer, audience: audience))
    }

    /// Creates a verifier with a key file, which must exist while it is read.
    convenience init(secret: String?, file: TestKeyFile) async throws {
        defer { withExtendedLifetime(file) {} }
        try await self.init(secret: secret, keyFile: file.path)
    }

    /// Returns why the token is rejected; `nil` if it is accepted.
    func rejection(_ token: String, now: Timestamp = .test) async -> TokenRejection? {
        do throws(TokenRejection) {
            _ = try await verify(token, now: now)
            return nil
        } catch {
            return error
        }
    }
}

extension Timestamp {
    /// 2026-03-14T18:00:00Z.
    static let test = Timestamp(milliseconds: 1_773_511_200_000)
}

extension String {
    /// Claims of a token valid for an hour after ``Timestamp/test``.
    static func claims(_ more: String = "") -> String { #"{"exp":1773514800\#(more.isEmpty ? "" : ",")\#(more)}"# }
}
