import Support

/// Claims of a verified token.
struct TokenClaims: Sendable, Hashable {
    /// `sub`: the user, as identified by the issuer.
    var subject: String?
    var expiresAt: Timestamp
    /// Time after ``expiresAt`` for which the token is still accepted.
    var leewayMilliseconds: Int64 = 0
    var trips = AllowedNames.none
    var routes = AllowedNames.none
    /// `driver`: the driver of the app; not checked to be a valid id of the pipeline.
    var driver: String?
    var scopes: Set<String> = []
    /// Key that verified the token; `nil` for claims from other sources.
    var key: TokenKey?

    func allows(trip: String) -> Bool { trips.contains(trip) }
    func allows(route: String) -> Bool { routes.contains(route) }
    func has(scope: String) -> Bool { scopes.contains(scope) }

    /// Whether the token is rejected at `now`.
    func isExpired(at now: Timestamp) -> Bool { now.milliseconds >= expiresAt.milliseconds + leewayMilliseconds }
}

/// Identity of the key that verified a token.
struct TokenKey: Sendable, Hashable {
    /// `kid`; `nil` for the key of tokens without `kid`.
    let name: String?
    /// Hash of the key, which differs if another key has received the name.
    let material: Int
}

/// The trips, or the routes, that a token allows.
enum AllowedNames: Sendable, Hashable {
    /// The claim lists `*`.
    case all
    case only(Set<String>)

    static let none = AllowedNames.only([])

    init(_ names: some Sequence<String>) {
        let names = Set(names)
        self = names.contains("*") ? .all : .only(names)
    }

    func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains(name)
        }
    }
}
