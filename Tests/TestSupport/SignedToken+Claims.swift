import Foundation
import Signatures

extension SignedToken {
    private struct Header: Decodable {
        let alg: String
        let kid: String?
        let typ: String?
    }

    /// Error with the invalid part of a token.
    package struct Invalid: Error {
        let part: String
    }

    /// Returns the claims of a token that `key` signed.
    /// - Throws: ``Invalid`` if the format, the header or the signature is wrong; `DecodingError` for unexpected JSON.
    package static func claims<Claims: Decodable>(
        _ type: Claims.Type, of token: String, key: SignatureKey, keyID: String?
    ) throws -> Claims {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let payload = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw Invalid(part: "format") }
        let fields = try JSONDecoder().decode(Header.self, from: Data(header))
        guard fields.alg == key.algorithm.rawValue, fields.kid == keyID, fields.typ == "JWT" else {
            throw Invalid(part: "header")
        }
        let signed = token.utf8.prefix(parts[0].count + 1 + parts[1].count)
        guard key.isSignature(signature, of: Array(signed)[...]) else { throw Invalid(part: "signature") }
        return try JSONDecoder().decode(type, from: Data(payload))
    }
}
