import Foundation
import Support

/// The claims as a token has them.
struct TokenPayload: Decodable {
    private let sub: String?
    private let iss: String?
    private let aud: TokenAudience?
    /// Seconds since 1970, which may have a fraction.
    private let exp: Double?
    private let nbf: Double?
    private let trips: [String]?
    private let routes: [String]?
    private let driver: String?
    private let scope: String?

    /// - Throws: `claims` where a claim has another type than it should.
    init(_ bytes: [UInt8]) throws(TokenRejection) {
        do {
            self = try JSONDecoder().decode(TokenPayload.self, from: Data(bytes))
        } catch {
            throw .invalid(reason: .claims)
        }
    }

    /// Checks all claims.
    ///
    /// `expired` is thrown where nothing else is wrong, as it tells a client to fetch a new token.
    func claims(_ configuration: TokenConfiguration, now: Timestamp) throws(TokenRejection) -> TokenClaims {
        if let issuer = configuration.issuer, iss != issuer { throw .invalid(reason: .issuer) }
        if let audience = configuration.audience, aud?.names.contains(audience) != true {
            throw .invalid(reason: .audience)
        }
        guard let exp else { throw .invalid(reason: .noExpiry) }
        let expiresAt = try Self.time(exp)
        let leeway = Int64(configuration.leewaySeconds) * 1000
        if let nbf, try Self.time(nbf).milliseconds - leeway > now.readable.milliseconds {
            throw .invalid(reason: .early)
        }
        let claims = TokenClaims(
            subject: sub, expiresAt: expiresAt,
            acceptedUntil: Timestamp(milliseconds: expiresAt.milliseconds + leeway), trips: AllowedNames(trips ?? []),
            routes: AllowedNames(routes ?? []), driver: driver?.isEmpty == true ? nil : driver,
            scopes: Set((scope ?? "").split(separator: " ").map(String.init)))
        guard !claims.isExpired(at: now) else { throw .expired }
        return claims
    }

    /// Times in milliseconds, a common mistake, lie behind the year 9999.
    private static func time(_ seconds: Double) throws(TokenRejection) -> Timestamp {
        guard seconds >= 0, seconds < 253_402_300_800 else { throw .invalid(reason: .time) }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }
}
