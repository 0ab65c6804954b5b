import COpenSSL

/// Key that computes and checks signatures of one algorithm, with OpenSSL.
package struct SignatureKey: Sendable {
    private enum Material {
        case secret([UInt8])
        case pair(OpenSSLKey)
    }

    package let algorithm: SignatureAlgorithm
    private let material: Material

    /// Creates an HS256 key.
    package init(secret: [UInt8]) {
        algorithm = .hs256
        material = .secret(secret)
    }

    /// Creates an RS256 key that checks signatures; the numbers are big-endian, without leading zeros.
    ///
    /// OpenSSL reads keys beyond these limits, but none of their signatures would be valid.
    /// - Returns: `nil` for an even or empty modulus, a modulus over 16,384 bits, or an exponent over 33 bits.
    package init?(modulus: [UInt8], exponent: [UInt8]) {
        guard modulus.count <= 2048, modulus.last.map({ $0 % 2 == 1 }) == true else { return nil }
        guard exponent.count < 5 || exponent.count == 5 && exponent[0] < 2 else { return nil }
        guard let key = OpenSSLKey(subjectPublicKeyInfo: DER.rsaKey(modulus: modulus, exponent: exponent)) else {
            return nil
        }
        self.init(.rs256, key)
    }

    /// Creates an ES256 key that checks signatures; `x` and `y` have 32 bytes each.
    /// - Returns: `nil` if the coordinates are not a point of P-256.
    package init?(x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32, let key = OpenSSLKey(subjectPublicKeyInfo: DER.p256Key(x: x, y: y)) else {
            return nil
        }
        self.init(.es256, key)
    }

    /// Creates an RS256 key from an unencrypted private key in PEM.
    /// - Returns: `nil` if it is not an RSA key of at least 2,048 bits.
    package init?(rsaPEM: String) {
        guard let key = OpenSSLKey(privatePEM: rsaPEM), EVP_PKEY_is_a(key.pointer, "RSA") == 1,
            EVP_PKEY_get_bits(key.pointer) >= 2048
        else { return nil }
        self.init(.rs256, key)
    }

    /// Creates an ES256 key from an unencrypted private key in PEM.
    /// - Returns: `nil` if it is not a key of the curve P-256.
    package init?(p256PEM: String) {
        guard let key = OpenSSLKey(privatePEM: p256PEM), key.curve == "prime256v1" else { return nil }
        self.init(.es256, key)
    }

    private init(_ algorithm: SignatureAlgorithm, _ key: OpenSSLKey) {
        self.algorithm = algorithm
        material = .pair(key)
    }

    /// Signs `bytes`; the key must be secret or private.
    package func sign(_ bytes: [UInt8]) -> [UInt8] {
        switch material {
        case .secret(let secret): Self.hmac(bytes[...], secret)
        case .pair(let key):
            algorithm == .es256 ? ECDSASignature.joined(der: key.sign(bytes)) : key.sign(bytes)
        }
    }

    /// Returns whether `signature` is this key's signature of `bytes`.
    package func isSignature(_ signature: [UInt8], of bytes: ArraySlice<UInt8>) -> Bool {
        switch material {
        case .secret(let secret):
            let expected = Self.hmac(bytes, secret)
            // Compares in constant time, so that a signature cannot be guessed byte by byte.
            return signature.count == expected.count && CRYPTO_memcmp(signature, expected, expected.count) == 0
        case .pair(let key):
            guard algorithm == .es256 else { return key.isSignature(signature, of: bytes) }
            guard let der = ECDSASignature.der(joined: signature) else { return false }
            return key.isSignature(der, of: bytes)
        }
    }

    private static func hmac(_ bytes: ArraySlice<UInt8>, _ secret: [UInt8]) -> [UInt8] {
        let result = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { result, count in
            var length: UInt32 = 0
            bytes.withUnsafeBufferPointer {
                _ = HMAC(
                    EVP_sha256(), secret, Int32(secret.count), $0.baseAddress, $0.count, result.baseAddress, &length)
            }
            count = Int(length)
        }
        precondition(result.count == 32, "OpenSSL could not compute an HMAC.")
        return result
    }
}

/// Signature algorithms, by their names in tokens (RFC 7518, section 3.1).
package enum SignatureAlgorithm: String, Sendable {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
}
