import JWTKit
import Support

/// The claims of a token that is made here.
struct MintedPayload: JWTPayload {
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

    /// Nothing: ``TokenVerifier`` reads tokens by types of its own.
    func verify(using algorithm: some JWTAlgorithm) {}
}
