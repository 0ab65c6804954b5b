import Foundation
import Support

/// The claims as encoded in a token.
struct TokenPayload: Decodable {
    private let sub: String?
    private let iss: String?
    private let aud: TokenAudience?
    /// Seconds since 1970, possibly with a fraction.
    private let exp: Double?
    private let nbf: Double?
    private let trips: [String]?
    private let routes: [String]?
    private let driver: String?
    private let scope: String?

    /// - Throws: `claims` if a claim has the wrong type.
    init(_ bytes: [UInt8]) throws(TokenRejection) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch { throw .invalid(reason: .claims) }
    }

    /// Checks all claims.
    ///
    /// Throws `expired` only if nothing else is wrong, because it makes a client fetch a new token.
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
            subject: sub, expiresAt: expiresAt, leewayMilliseconds: leeway, trips: AllowedNames(trips ?? []),
            routes: AllowedNames(routes ?? []), driver: driver?.isEmpty == true ? nil : driver,
            scopes: Set((scope ?? "").split(separator: " ").map(String.init)))
        guard !claims.isExpired(at: now) else { throw .expired }
        return claims
    }

    /// Rejects years after 9999; a common mistake, times in milliseconds, is in that range.
    private static func time(_ seconds: Double) throws(TokenRejection) -> Timestamp {
        guard seconds >= 0, seconds < 253_402_300_800 else { throw .invalid(reason: .time) }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }
}

/// The claim `aud`: a string or a list of strings, possibly empty.
struct TokenAudience: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        names = try (try? container.decode(String.self)).map { [$0] } ?? container.decode([String].self)
    }
}
