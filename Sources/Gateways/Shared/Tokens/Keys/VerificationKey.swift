import JWTKit

/// A key with the one algorithm that it is used with.
///
/// JWTKit computes the signatures. Its collections of keys are used only to make a key: they fall back to the first key,
/// and to the algorithm that a token names.
struct VerificationKey: Sendable {
    let algorithm: TokenAlgorithm
    /// A hash of the key, of this process alone: the key cannot be computed from it.
    let material: Int
    private let implementation: any JWTAlgorithm

    /// For HS256, with a secret of at least 32 bytes.
    init(secret: [UInt8]) async throws {
        precondition(secret.count >= TokenSecret.minimumByteCount, "A secret has at least 32 bytes.")
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        try await self.init(.hs256, keys.getKey(), material: secret.hashValue)
    }

    /// For RS256, with modulus and exponent in base64url.
    init(modulus: String, exponent: String) async throws {
        try await self.init(
            .rs256, .rsa(.rs256, identifier: "key", modulus: modulus, exponent: exponent),
            material: Self.material(modulus, exponent))
    }

    /// For ES256, with a point of P-256, its coordinates in base64url.
    init(x: String, y: String) async throws {
        try await self.init(
            .es256, .ecdsa(.es256, identifier: "key", x: x, y: y, curve: .p256), material: Self.material(x, y))
    }

    /// The hash of numbers in base64url, however many zeros are before them: the same key may be written in two ways.
    private static func material(_ numbers: String...) -> Int {
        numbers.map { number in (Base64URL.decode(number.utf8) ?? []).drop { $0 == 0 } }.hashValue
    }

    private init(_ algorithm: TokenAlgorithm, _ key: JWK, material: Int) async throws {
        let keys = JWTKeyCollection()
        try await keys.add(jwk: key)
        try await self.init(algorithm, keys.getKey(for: "key"), material: material)
    }

    private init(_ algorithm: TokenAlgorithm, _ implementation: any JWTAlgorithm, material: Int) {
        precondition(implementation.name == algorithm.rawValue, "A key is used with the algorithm it was made for.")
        self.algorithm = algorithm
        self.material = material
        self.implementation = implementation
    }

    func isSignature(_ signature: [UInt8], of bytes: ArraySlice<UInt8>) -> Bool {
        // It throws for signatures of a wrong length.
        (try? implementation.verify(signature, signs: bytes)) ?? false
    }
}
