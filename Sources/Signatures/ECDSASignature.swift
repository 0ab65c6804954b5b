import COpenSSL

/// Signatures on P-256: tokens join two numbers of 32 bytes (RFC 7518, section 3.4), and OpenSSL encodes them in DER.
enum ECDSASignature {
    private static let numberByteCount = 32

    /// Returns `nil` if the signature is not 64 bytes long.
    static func der(joined: [UInt8]) -> [UInt8]? {
        guard joined.count == 2 * numberByteCount else { return nil }
        return DER.sequence(DER.integer(joined[..<numberByteCount]) + DER.integer(joined[numberByteCount...]))
    }

    /// `der`: a signature computed by OpenSSL.
    static func joined(der: [UInt8]) -> [UInt8] {
        let signature = der.withUnsafeBufferPointer {
            var start = $0.baseAddress
            return d2i_ECDSA_SIG(nil, &start, $0.count)
        }
        guard let signature else { preconditionFailure("OpenSSL computes readable signatures.") }
        defer { ECDSA_SIG_free(signature) }
        let numbers = [ECDSA_SIG_get0_r(signature), ECDSA_SIG_get0_s(signature)]
        return numbers.flatMap { number in
            [UInt8](unsafeUninitializedCapacity: numberByteCount) { bytes, count in
                count = Int(max(0, BN_bn2binpad(number, bytes.baseAddress, Int32(numberByteCount))))
            }
        }
    }
}
