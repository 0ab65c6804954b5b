import Runtime
import Signatures
import Support

/// Creator of tokens with the secret, for development; apps get tokens from their own backend.
package struct TokenMinter: Sendable {
    private let key: SignatureKey

    /// - Throws: an error if the secret is missing or invalid.
    package init(secret: Secret?) throws(TokenConfigurationError) {
        guard let secret else { throw .noSecret }
        key = SignatureKey(secret: try TokenSecret.bytes(secret))
    }

    /// Creates a token with the claims of `grant`, valid from `now`.
    package func mint(_ grant: TokenGrant, now: Timestamp) throws -> String {
        try SignedToken.encode(MintedPayload(grant, now: now), key: key)
    }
}

/// Claims of a created token.
struct MintedPayload: Encodable {
    private let sub: String?
    private let iss: String?
    private let aud: String?
    private let iat: Int64
    private let exp: Int64
    private let trips: [String]?
    private let routes: [String]?
    private let driver: String?
    private let scope: String?

    init(_ grant: TokenGrant, now: Timestamp) {
        sub = grant.subject
        iss = grant.issuer
        aud = grant.audience
        iat = now.milliseconds / 1000
        exp = iat + grant.lifetimeSeconds
        trips = grant.trips.isEmpty ? nil : grant.trips
        routes = grant.routes.isEmpty ? nil : grant.routes
        driver = grant.driver
        scope = grant.scopes.isEmpty ? nil : grant.scopes.joined(separator: " ")
    }
}

/// Claims of a token to create.
package struct TokenGrant: Sendable, Hashable {
    package var subject: String?
    package var issuer: String?
    package var audience: String?
    /// Ids, or `*` for all.
    package var trips: [String]
    package var routes: [String]
    package var driver: String?
    package var scopes: [String]
    package var lifetimeSeconds: Int64

    package init(
        subject: String? = nil, issuer: String? = nil, audience: String? = nil, trips: [String] = [],
        routes: [String] = [], driver: String? = nil, scopes: [String] = [], lifetimeSeconds: Int64
    ) {
        self.subject = subject
        self.issuer = issuer
        self.audience = audience
        self.trips = trips
        self.routes = routes
        self.driver = driver
        self.scopes = scopes
        self.lifetimeSeconds = lifetimeSeconds
    }
}
