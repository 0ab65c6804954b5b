import Runtime

/// What tokens are checked against.
package struct TokenConfiguration: Sendable {
    /// The secret of tokens that are signed with HS256 and name no key: the bytes of its text, at least 32.
    package var secret: Secret?
    /// The path of a JSON Web Key Set (RFC 7517).
    package var jwksFile: String?
    /// The `iss` that a token must have; `nil` takes any.
    package var issuer: String?
    /// What a token must name in `aud`; `nil` takes any.
    package var audience: String?
    /// How far the clocks of an issuer and of this machine may differ, in seconds.
    package var leewaySeconds: Int

    package init(
        secret: Secret? = nil, jwksFile: String? = nil, issuer: String? = nil, audience: String? = nil,
        leewaySeconds: Int = 30
    ) {
        precondition((0...3600).contains(leewaySeconds), "The leeway of tokens is 0 to 3600 s.")
        self.secret = secret
        self.jwksFile = jwksFile
        self.issuer = issuer
        self.audience = audience
        self.leewaySeconds = leewaySeconds
    }

    /// As the environment says.
    package init(_ settings: TokenSettings) {
        self.init(
            secret: settings.secret, jwksFile: settings.jwksFile, issuer: settings.issuer, audience: settings.audience)
    }
}
