import Support

/// What a token says that was checked.
package struct TokenClaims: Sendable, Hashable {
    /// `sub`: who it is, in the issuer's words.
    package var subject: String?
    /// `exp`.
    package var expiresAt: Timestamp
    /// `exp` and the leeway: from then on the token is refused.
    package var acceptedUntil: Timestamp
    /// `trips`.
    package var trips: AllowedNames
    /// `routes`.
    package var routes: AllowedNames
    /// `driver`: the driver whose app this is; it is not checked to be an identifier of the pipeline.
    package var driver: String?
    /// `scope`, word by word.
    package var scopes: Set<String>
    /// The key that has checked the token; `nil` for claims of other sources.
    package var key: TokenKey?

    /// Claims for tests and other sources; `acceptedUntil` is `expiresAt` where it is not given.
    package init(
        subject: String? = nil, expiresAt: Timestamp, acceptedUntil: Timestamp? = nil, trips: AllowedNames = .none,
        routes: AllowedNames = .none, driver: String? = nil, scopes: Set<String> = []
    ) {
        self.subject = subject
        self.expiresAt = expiresAt
        self.acceptedUntil = acceptedUntil ?? expiresAt
        self.trips = trips
        self.routes = routes
        self.driver = driver
        self.scopes = scopes
    }

    package func allows(trip: String) -> Bool { trips.contains(trip) }
    package func allows(route: String) -> Bool { routes.contains(route) }
    package func has(scope: String) -> Bool { scopes.contains(scope) }

    /// Whether the token would be refused at `now`.
    package func isExpired(at now: Timestamp) -> Bool { now >= acceptedUntil }
}
