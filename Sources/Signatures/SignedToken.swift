import Foundation

/// Serialisation of signed tokens (JWS compact serialisation, RFC 7515, section 7.1).
package enum SignedToken {
    private struct Header: Encodable {
        let alg: String
        let kid: String?
        let typ = "JWT"
    }

    /// Creates a token; `keyID` becomes `kid`.
    /// - Throws: an error of JSONEncoder or of `claims`.
    package static func encode(_ claims: some Encodable, key: SignatureKey, keyID: String? = nil) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = try encoder.encode(Header(alg: key.algorithm.rawValue, kid: keyID))
        let signed = try "\(Base64URL.encode(header)).\(Base64URL.encode(encoder.encode(claims)))"
        return "\(signed).\(Base64URL.encode(key.sign(Array(signed.utf8))))"
    }
}
