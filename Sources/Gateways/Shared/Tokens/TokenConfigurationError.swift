import Runtime

/// Error in the token settings: one line with the setting and the fix.
package struct TokenConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

extension TokenConfigurationError {
    private static let secret = SettingDefinition.tokenSecret.key
    private static let file = SettingDefinition.tokenKeyFile.key
    /// End of a sentence.
    private static let newSecret = "make one with `sightline token --new-secret`"

    static let noKey = TokenConfigurationError(
        "No key to verify tokens: set \(secret) (\(newSecret)) or \(file).")

    static let noSecret = TokenConfigurationError(
        "\(secret) is not set: \(newSecret), and start the gateways with the same secret.")

    static func shortSecret(byteCount: Int) -> TokenConfigurationError {
        TokenConfigurationError(
            "\(secret) has \(byteCount) bytes but needs at least \(TokenSecret.minimumByteCount), or it could be "
                + "computed from a token; \(newSecret).")
    }

    /// Error for a public key used as the secret; anyone who knows the key could sign tokens.
    static let keyAsSecret = TokenConfigurationError(
        "\(secret) holds a key in PEM or JSON instead of a secret: put public keys as a JWKS into the file set by "
            + "\(file), or \(newSecret).")

    static func keyFile(_ path: String, _ problem: String) -> TokenConfigurationError {
        TokenConfigurationError("\(file)=\(path): \(problem)")
    }

    static func unnamedKey(_ path: String) -> TokenConfigurationError {
        keyFile(
            path,
            "a key has no \"kid\" although \(secret) is set, so a token without \"kid\" would match both; give the "
                + "key a \"kid\", or unset \(secret).")
    }
}
