import COpenSSL

/// Public or private key of OpenSSL, for signatures with SHA-256.
///
/// The key is immutable, and OpenSSL allows threads to share an immutable key.
final class OpenSSLKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Reads a public key in DER (RFC 5280, section 4.1).
    /// - Returns: `nil` if it is invalid.
    init?(subjectPublicKeyInfo der: [UInt8]) {
        let key = der.withUnsafeBufferPointer {
            var start = $0.baseAddress
            return d2i_PUBKEY(nil, &start, $0.count)
        }
        ERR_clear_error()
        guard let key else { return nil }
        pointer = key
    }

    /// Reads an unencrypted private key in PEM, with line ends of any system and empty lines.
    /// - Returns: `nil` if it is invalid, or if its private half does not fit its public half.
    init?(privatePEM: String) {
        let lines = privatePEM.split(whereSeparator: \.isNewline)
        let key = Array((lines.joined(separator: "\n") + "\n").utf8).withUnsafeBytes {
            let input = BIO_new_mem_buf($0.baseAddress, Int32($0.count))
            defer { BIO_free(input) }
            // Without a callback, OpenSSL would ask the terminal for the passphrase of an encrypted key.
            return PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil)
        }
        defer { ERR_clear_error() }
        guard let key else { return nil }
        pointer = key
        // OpenSSL reads a damaged key, but its signatures would be invalid.
        let context = EVP_PKEY_CTX_new(key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_pairwise_check(context) == 1 else { return nil }
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Name of the elliptic curve; `nil` if the key is not on an elliptic curve.
    var curve: String? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return nil }
        return String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func sign(_ bytes: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        var isSigned =
            EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1
            && EVP_DigestSign(context, nil, &length, bytes, bytes.count) == 1
        let signature = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            isSigned = isSigned && EVP_DigestSign(context, buffer.baseAddress, &length, bytes, bytes.count) == 1
            count = isSigned ? length : 0
        }
        precondition(isSigned, "Only a private key can sign.")
        return signature
    }

    func isSignature(_ signature: [UInt8], of bytes: ArraySlice<UInt8>) -> Bool {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        let isValid = bytes.withUnsafeBufferPointer {
            EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1
                && EVP_DigestVerify(context, signature, signature.count, $0.baseAddress, $0.count) == 1
        }
        ERR_clear_error()
        return isValid
    }
}
