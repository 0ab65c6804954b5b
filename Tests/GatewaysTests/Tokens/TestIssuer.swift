import COpenSSL
import Testing

@testable import Signatures

/// Issuer of arbitrary tokens, including invalid ones.
struct TestIssuer {
    /// A secret of the minimum length.
    static let secret = "a test secret, 32 bytes at least"

    private let signer: SignatureKey
    /// The issuer's key as an entry of a key set, for a `kid`.
    let key: @Sendable (_ kid: String) -> String

    /// Creates an issuer that signs with HS256.
    init(secret: String = TestIssuer.secret) {
        let encoded = Base64URL.encode(secret.utf8)
        self.init(SignatureKey(secret: Array(secret.utf8))) { #"{"kty":"oct","kid":"\#($0)","k":"\#(encoded)"}"# }
    }

    /// Creates an issuer that signs with ES256 and a new key.
    static func curve() throws -> TestIssuer {
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var pair: OpaquePointer?
        try #require(
            EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
                && EVP_PKEY_generate(context, &pair) == 1)
        defer { EVP_PKEY_free(pair) }
        // A format byte and two coordinates of 32 bytes.
        var point = [UInt8](repeating: 0, count: 65)
        var length = 0
        try #require(EVP_PKEY_get_octet_string_param(pair, "pub", &point, point.count, &length) == 1)
        let (x, y) = (Base64URL.encode(point[1...32]), Base64URL.encode(point[33...]))
        return TestIssuer(try #require(SignatureKey(p256PEM: try pem(pair)))) { kid in
            #"{"kty":"EC","crv":"P-256","kid":"\#(kid)","x":"\#(x)","y":"\#(y)"}"#
        }
    }

    private static func pem(_ pair: OpaquePointer?) throws -> String {
        let output = BIO_new(BIO_s_mem())
        defer { BIO_free(output) }
        try #require(PEM_write_bio_PrivateKey(output, pair, nil, nil, 0, nil, nil) == 1)
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
        BIO_read(output, &bytes, Int32(bytes.count))
        return String(decoding: bytes, as: UTF8.self)
    }

    private init(_ signer: SignatureKey, key: @escaping @Sendable (String) -> String) {
        self.signer = signer
        self.key = key
    }

    /// Creates a token from a payload and a header.
    func token(_ payload: String, header: String? = nil, kid: String? = nil) -> String {
        let kidMember = kid.map { #","kid":"\#($0)""# } ?? ""
        let header = header ?? #"{"alg":"\#(signer.algorithm.rawValue)"\#(kidMember)}"#
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
        return signed + "." + Base64URL.encode(signer.sign(Array(signed.utf8)))
    }
}
