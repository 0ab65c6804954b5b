import Runtime
import Signatures

/// A key with its only allowed algorithm.
struct VerificationKey: Sendable {
    let key: SignatureKey
    /// Hash of the key within this process; the key cannot be computed from it.
    let material: Int

    var algorithm: SignatureAlgorithm { key.algorithm }

    /// `parts` identify the key.
    init(_ key: SignatureKey, _ parts: [UInt8]...) {
        self.key = key
        material = parts.hashValue
    }
}

/// Secret for HS256 tokens.
package enum TokenSecret {
    /// Output size of HMAC-SHA256 (RFC 7518, section 3.2).
    package static let minimumByteCount = 32

    /// Returns a new secret: 32 random bytes as hexadecimal text; the text is the secret.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<minimumByteCount).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    static func bytes(_ secret: Secret) throws(TokenConfigurationError) -> [UInt8] {
        let text = secret.reveal()
        guard !text.contains("-----BEGIN "), text.first(where: { !$0.isWhitespace }) != "{" else {
            throw .keyAsSecret
        }
        guard text.utf8.count >= minimumByteCount else { throw .shortSecret(byteCount: text.utf8.count) }
        return Array(text.utf8)
    }
}
