import JWTKit
import Runtime

/// A key with its only allowed algorithm.
///
/// JWTKit verifies the signatures. Its key collections are used only to create a key, because they fall back to their
/// first key and to the algorithm that a token names.
struct VerificationKey: Sendable {
    let algorithm: TokenAlgorithm
    /// Hash of the key within this process; the key cannot be computed from it.
    let material: Int
    private let implementation: any JWTAlgorithm

    /// Creates an HS256 key; `secret` has at least 32 bytes.
    init(secret: [UInt8]) async throws {
        precondition(secret.count >= TokenSecret.minimumByteCount, "The secret needs at least 32 bytes.")
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        try await self.init(.hs256, keys.getKey(), material: secret.hashValue)
    }

    /// Creates an RS256 key; modulus and exponent are in base64url.
    init(modulus: String, exponent: String) async throws {
        try await self.init(
            .rs256, .rsa(.rs256, identifier: "key", modulus: modulus, exponent: exponent),
            material: Self.material(modulus, exponent))
    }

    /// Creates an ES256 key from a point of P-256 with coordinates in base64url.
    init(x: String, y: String) async throws {
        try await self.init(
            .es256, .ecdsa(.es256, identifier: "key", x: x, y: y, curve: .p256), material: Self.material(x, y))
    }

    /// Hashes base64url numbers without leading zeros, since one key can be encoded with different ones.
    private static func material(_ numbers: String...) -> Int {
        numbers.map { number in (Base64URL.decode(number.utf8) ?? []).drop { $0 == 0 } }.hashValue
    }

    private init(_ algorithm: TokenAlgorithm, _ key: JWK, material: Int) async throws {
        let keys = JWTKeyCollection()
        try await keys.add(jwk: key)
        try await self.init(algorithm, keys.getKey(for: "key"), material: material)
    }

    private init(_ algorithm: TokenAlgorithm, _ implementation: any JWTAlgorithm, material: Int) {
        precondition(implementation.name == algorithm.rawValue, "The key must match its algorithm.")
        self.algorithm = algorithm
        self.material = material
        self.implementation = implementation
    }

    func isSignature(_ signature: [UInt8], of bytes: ArraySlice<UInt8>) -> Bool {
        // Throws for a signature of the wrong length.
        (try? implementation.verify(signature, signs: bytes)) ?? false
    }
}

/// Accepted signature algorithms.
enum TokenAlgorithm: String, Sendable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
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
