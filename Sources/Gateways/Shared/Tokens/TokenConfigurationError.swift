import Runtime

/// Why tokens cannot be checked, or made, with what the environment says: one line that names the variable and the fix.
package struct TokenConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

extension TokenConfigurationError {
    private static let secret = SettingDefinition.tokenSecret.key
    private static let file = SettingDefinition.tokenKeyFile.key
    /// To end a sentence.
    private static let newSecret = "make one with `sightline token --new-secret`"

    static let noKey = TokenConfigurationError(
        "There is no key to check tokens with: set \(secret) (\(newSecret)) or \(file).")

    static let noSecret = TokenConfigurationError(
        "\(secret) is not set: \(newSecret), and start the gateways with the same one.")

    static func shortSecret(byteCount: Int) -> TokenConfigurationError {
        TokenConfigurationError(
            "\(secret) has \(byteCount) bytes: it must have at least \(TokenSecret.minimumByteCount), or it could be found "
                + "from a token; \(newSecret).")
    }

    /// For a public key where a secret belongs: as one it would allow everyone who knows it to make tokens.
    static let keyAsSecret = TokenConfigurationError(
        "\(secret) holds a key in PEM or JSON, and not a secret: put public keys as a JWKS into the file that \(file) "
            + "names, or \(newSecret).")

    static func keyFile(_ path: String, _ problem: String) -> TokenConfigurationError {
        TokenConfigurationError("\(file)=\(path): \(problem)")
    }

    static func unnamedKey(_ path: String) -> TokenConfigurationError {
        keyFile(
            path,
            "a key has no \"kid\", and \(secret) is set, so that it is not certain which of them checks a token without "
                + "\"kid\"; give the key a \"kid\", or unset \(secret).")
    }
}
