import COpenSSL

/// Conversion of P-256 signatures: tokens join two numbers of 32 bytes (RFC 7518, section 3.4), OpenSSL uses DER.
enum ECDSASignature {
    private static let numberByteCount = 32

    /// Encodes 64 joined bytes in DER; returns `nil` for any other length.
    static func der(joined: [UInt8]) -> [UInt8]? {
        guard joined.count == 2 * numberByteCount else { return nil }
        return DER.sequence(DER.integer(joined[..<numberByteCount]) + DER.integer(joined[numberByteCount...]))
    }

    /// Joins the two numbers of a signature that OpenSSL computed.
    static func joined(der: [UInt8]) -> [UInt8] {
        let signature = der.withUnsafeBufferPointer {
            var start = $0.baseAddress
            return d2i_ECDSA_SIG(nil, &start, $0.count)
        }
        guard let signature else { preconditionFailure("OpenSSL computed an unreadable signature.") }
        defer { ECDSA_SIG_free(signature) }
        let numbers = [ECDSA_SIG_get0_r(signature), ECDSA_SIG_get0_s(signature)]
        return numbers.flatMap { number in
            [UInt8](unsafeUninitializedCapacity: numberByteCount) { bytes, count in
                count = Int(max(0, BN_bn2binpad(number, bytes.baseAddress, Int32(numberByteCount))))
            }
        }
    }
}
