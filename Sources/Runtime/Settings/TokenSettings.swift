/// Verification of client tokens by the gateways.
package struct TokenSettings: Sendable {
    /// Secret for HS256 tokens.
    package var secret: Secret?
    /// File with a JSON Web Key Set.
    package var jwksFile: String?
    /// Required `iss`; `nil` accepts any.
    package var issuer: String?
    /// Required `aud`; `nil` accepts any.
    package var audience: String?

    init(_ reader: inout SettingsReader) {
        let secret = reader.secret(.tokenSecret)
        self.secret = secret.isEmpty ? nil : secret
        jwksFile = reader.optionalText(.tokenKeyFile)
        issuer = reader.optionalText(.tokenIssuer)
        audience = reader.optionalText(.tokenAudience)
    }
}
