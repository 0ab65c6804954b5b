@testable import Gateways
@testable import Runtime
@testable import Support

extension TokenVerifier {
    /// Creates a verifier, by default with the secret of ``TestIssuer``.
    convenience init(
        secret: String? = TestIssuer.secret, keyFile: String? = nil, issuer: String? = nil, audience: String? = nil
    ) throws {
        try self.init(
            TokenConfiguration(
                secret: secret.map { Secret($0) }, jwksFile: keyFile, issuer: issuer, audience: audience))
    }

    /// Creates a verifier that reads `file`.
    convenience init(secret: String?, file: TestKeyFile) throws {
        defer { withExtendedLifetime(file) {} }
        try self.init(secret: secret, keyFile: file.path)
    }

    /// Returns the rejection of a token; `nil` if the token is accepted.
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
    /// Returns the claims of a token that expires an hour after ``Timestamp/test``, with additional members.
    static func claims(_ more: String = "") -> String { #"{"exp":1773514800\#(more.isEmpty ? "" : ",")\#(more)}"# }
}
