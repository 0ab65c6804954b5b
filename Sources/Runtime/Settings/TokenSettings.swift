/// How gateways check the tokens of their clients.
package struct TokenSettings: Sendable {
    /// The secret of tokens signed with HS256; `nil` where none is set.
    package var secret: Secret?
    /// A file with a JSON Web Key Set; `nil` where none is set.
    package var jwksFile: String?
    /// The `iss` that tokens must have; `nil` takes any.
    package var issuer: String?
    /// What tokens must name in `aud`; `nil` takes any.
    package var audience: String?

    init(_ reader: inout SettingsReader) {
        let secret = reader.secret(.tokenSecret)
        self.secret = secret.isEmpty ? nil : secret
        jwksFile = Self.nonempty(reader.text(.tokenKeyFile))
        issuer = Self.nonempty(reader.text(.tokenIssuer))
        audience = Self.nonempty(reader.text(.tokenAudience))
    }

    private static func nonempty(_ text: String) -> String? { text.isEmpty ? nil : text }
}
