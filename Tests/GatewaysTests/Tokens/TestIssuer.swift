import Foundation
import JWTKit
import Testing

/// Signs arbitrary tokens, including invalid ones.
struct TestIssuer {
    /// A secret of the minimum length.
    static let secret = "a test secret, 32 bytes at least"

    private let algorithm: any JWTAlgorithm
    /// Returns the entry of a key set that verifies these signatures.
    let key: @Sendable (_ kid: String) -> String

    /// HS256.
    init(secret: String = TestIssuer.secret) async throws {
        let keys = JWTKeyCollection()
        await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        algorithm = try await keys.getKey()
        let encoded = Self.encode(Array(secret.utf8))
        key = { #"{"kty":"oct","kid":"\#($0)","k":"\#(encoded)"}"# }
    }

    /// ES256 with a new key.
    static func curve() async throws -> TestIssuer {
        let pair = ES256PrivateKey()
        let keys = JWTKeyCollection()
        await keys.add(ecdsa: pair)
        let point = try #require(pair.publicKey.parameters)
        let (x, y) = (Self.urlSafe(point.x), Self.urlSafe(point.y))
        return TestIssuer(algorithm: try await keys.getKey()) { kid in
            #"{"kty":"EC","crv":"P-256","kid":"\#(kid)","x":"\#(x)","y":"\#(y)"}"#
        }
    }

    private init(algorithm: any JWTAlgorithm, key: @escaping @Sendable (String) -> String) {
        self.algorithm = algorithm
        self.key = key
    }

    /// Creates a token from a payload and a header.
    func token(_ payload: String, header: String? = nil, kid: String? = nil) throws -> String {
        let named = kid.map { #","kid":"\#($0)""# } ?? ""
        let header = header ?? #"{"alg":"\#(algorithm.name)"\#(named)}"#
        let signed = Self.encode(Array(header.utf8)) + "." + Self.encode(Array(payload.utf8))
        return try signed + "." + Self.encode(algorithm.sign(Array(signed.utf8)))
    }

    static func encode(_ bytes: [UInt8]) -> String { urlSafe(Data(bytes).base64EncodedString()) }

    private static func urlSafe(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
