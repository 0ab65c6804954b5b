/// Functions that encode keys and numbers by the distinguished encoding rules (ITU-T X.690), as OpenSSL requires.
enum DER {
    /// Encodes a public RSA key as SubjectPublicKeyInfo (RFC 3279, section 2.3.1); the numbers are big-endian.
    static func rsaKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        // rsaEncryption without parameters.
        let algorithm: [UInt8] = [
            0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        return sequence(algorithm + bitString(sequence(integer(modulus[...]) + integer(exponent[...]))))
    }

    /// Encodes a point of P-256 as SubjectPublicKeyInfo (RFC 5480, section 2).
    static func p256Key(x: [UInt8], y: [UInt8]) -> [UInt8] {
        // id-ecPublicKey with prime256v1.
        let algorithm: [UInt8] = [
            0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d,
            0x03, 0x01, 0x07,
        ]
        // 4 announces an uncompressed point.
        return sequence(algorithm + bitString([4] + x + y))
    }

    static func sequence(_ content: [UInt8]) -> [UInt8] { element(tag: 0x30, content) }

    /// Encodes a big-endian number that is not negative.
    static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        let digits = number.drop { $0 == 0 }
        // A set first bit would make the number negative.
        let needsZero = digits.first.map { $0 >= 0x80 } ?? true
        return element(tag: 0x02, (needsZero ? [0] : []) + digits)
    }

    /// Encodes a bit string of whole bytes, with 0 unused bits.
    private static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(tag: 0x03, [0] + bytes) }

    private static func element(tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        let count = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(count.count)] + count + content
    }
}
