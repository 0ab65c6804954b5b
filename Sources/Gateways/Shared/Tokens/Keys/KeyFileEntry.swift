import Signatures

/// A key of the key file (RFC 7517; RFC 7518, section 6).
struct KeyFileEntry: Decodable {
    private let fields: Fields?

    /// Key id; `nil` if it has none.
    var keyID: String? { fields?.kid }

    /// Name for error messages.
    var name: String {
        guard let keyID else { return "the key without \"kid\"" }
        return "key \(String(keyID.prefix(64)).debugDescription)"
    }

    private struct Fields: Decodable {
        var kty: String
        var kid, alg, use: String?
        var keyOperations: [String]?
        var n, e, crv, x, y, k: String?

        private enum CodingKeys: String, CodingKey {
            case kty, kid, alg, use, n, e, crv, x, y, k
            case keyOperations = "key_ops"
        }
    }

    init(from decoder: any Decoder) { fields = try? Fields(from: decoder) }

    /// Creates the verification key; ignores a private half.
    func key() throws(KeyProblem) -> VerificationKey {
        guard let fields else { throw KeyProblem("it has no \"kty\", or a member that is not text") }
        if let use = fields.use, use != "sig" { throw KeyProblem("its \"use\" is not \"sig\"") }
        if let operations = fields.keyOperations, !operations.contains("verify") {
            throw KeyProblem("its \"key_ops\" do not include \"verify\"")
        }
        switch fields.kty {
        case "RSA": return try rsa(fields)
        case "EC": return try curve(fields)
        case "oct": return try secret(fields)
        default: throw KeyProblem("its \"kty\" is not RSA, EC or oct")
        }
    }

    private func check(_ fields: Fields, is algorithm: SignatureAlgorithm) throws(KeyProblem) {
        guard fields.alg == nil || fields.alg == algorithm.rawValue else {
            throw KeyProblem("its \"alg\" is not \(algorithm.rawValue)")
        }
    }

    private func rsa(_ fields: Fields) throws(KeyProblem) -> VerificationKey {
        try check(fields, is: .rs256)
        guard let n = fields.n.flatMap({ Base64URL.decode($0.utf8) }),
            let e = fields.e.flatMap({ Base64URL.decode($0.utf8) })
        else { throw KeyProblem("it has no \"n\" and \"e\" in base64url") }
        // One key can be encoded with different numbers of leading zeros.
        let (modulus, exponent) = (Array(n.drop { $0 == 0 }), Array(e.drop { $0 == 0 }))
        let bits = Self.bitCount(modulus)
        guard bits >= 2048 else { throw KeyProblem("it is an RSA key of \(bits) bits, and at least 2048 are needed") }
        // With an exponent of 1, anyone can sign.
        guard Self.bitCount(exponent) > 1, let last = exponent.last, last % 2 == 1 else {
            throw KeyProblem("its \"e\" is not an odd number above 1")
        }
        guard let key = SignatureKey(modulus: modulus, exponent: exponent) else {
            throw KeyProblem("it is not an RSA key that can be used")
        }
        return VerificationKey(key, modulus, exponent)
    }

    private func curve(_ fields: Fields) throws(KeyProblem) -> VerificationKey {
        try check(fields, is: .es256)
        guard fields.crv == "P-256" else { throw KeyProblem("its \"crv\" is not P-256") }
        guard let x = fields.x.flatMap({ Base64URL.decode($0.utf8) }), x.count == 32,
            let y = fields.y.flatMap({ Base64URL.decode($0.utf8) }), y.count == 32
        else { throw KeyProblem("it has no \"x\" and \"y\" of 32 bytes in base64url") }
        guard let key = SignatureKey(x: x, y: y) else {
            throw KeyProblem("its \"x\" and \"y\" are not a point of P-256")
        }
        return VerificationKey(key, x, y)
    }

    private func secret(_ fields: Fields) throws(KeyProblem) -> VerificationKey {
        try check(fields, is: .hs256)
        guard let k = fields.k, let secret = Base64URL.decode(k.utf8) else {
            throw KeyProblem("it has no \"k\" in base64url")
        }
        guard secret.count >= TokenSecret.minimumByteCount else {
            throw KeyProblem(
                "it is a secret of \(secret.count) bytes, and at least \(TokenSecret.minimumByteCount) are needed")
        }
        return VerificationKey(SignatureKey(secret: secret), secret)
    }

    /// Number of bits of a big-endian number.
    private static func bitCount(_ number: [UInt8]) -> Int {
        guard let first = number.firstIndex(where: { $0 != 0 }) else { return 0 }
        return (number.count - first) * 8 - number[first].leadingZeroBitCount
    }
}

/// Reason why a key of the file is ignored, as the end of a sentence.
struct KeyProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
