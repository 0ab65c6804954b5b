import Runtime

/// Settings of token verification.
struct TokenConfiguration: Sendable {
    /// HS256 secret for tokens without `kid`, at least 32 bytes.
    var secret: Secret?
    /// Path of a JSON Web Key Set (RFC 7517).
    var jwksFile: String?
    /// Required `iss`; `nil` accepts any.
    var issuer: String?
    /// Required `aud`; `nil` accepts any.
    var audience: String?
    /// Allowed clock difference between the issuer and this machine, in seconds.
    var leewaySeconds: Int

    init(
        secret: Secret? = nil, jwksFile: String? = nil, issuer: String? = nil, audience: String? = nil,
        leewaySeconds: Int = 30
    ) {
        precondition((0...3600).contains(leewaySeconds), "leewaySeconds must be 0 to 3600.")
        self.secret = secret
        self.jwksFile = jwksFile
        self.issuer = issuer
        self.audience = audience
        self.leewaySeconds = leewaySeconds
    }

    /// Creates the configuration from the settings.
    init(_ settings: TokenSettings) {
        self.init(
            secret: settings.secret, jwksFile: settings.jwksFile, issuer: settings.issuer, audience: settings.audience)
    }
}
