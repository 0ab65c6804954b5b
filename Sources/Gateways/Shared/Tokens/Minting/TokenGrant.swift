/// What a token is to say.
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
