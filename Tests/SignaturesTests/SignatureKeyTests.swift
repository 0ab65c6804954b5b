import TestSupport
import Testing

@testable import Signatures

@Suite("Signature keys")
struct SignatureKeyTests {
    /// Decodes base64url.
    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text.utf8)) }

    /// Payload of the examples of RFC 7515, appendix A.
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    @Test("HS256 computes the signature of RFC 7515, appendix A.1")
    func hmacExample() throws {
        let key = SignatureKey(
            secret: try Self.bytes(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let signed = Array("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.payload)".utf8)
        let signature = key.sign(signed)
        #expect(Base64URL.encode(signature) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(key.isSignature(signature, of: signed[...]))
    }

    @Test("ES256 accepts the signature of RFC 7515, appendix A.3, and no signature that differs in one bit")
    func curveExample() throws {
        let key = try #require(
            SignatureKey(
                x: try Self.bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
                y: try Self.bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")))
        let signed = Array("eyJhbGciOiJFUzI1NiJ9.\(Self.payload)".utf8)
        let signature = try Self.bytes(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        #expect(key.isSignature(signature, of: signed[...]))
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isSignature(changed, of: signed[...]), "bit \(bit)")
        }
    }

    @Test("RS256 computes the same signature as `openssl dgst -sha256 -sign`")
    func rsaExample() throws {
        let key = try #require(SignatureKey(rsaPEM: TestKeys.rsa))
        #expect(
            Base64URL.encode(key.sign(Array("header.payload".utf8))) == """
                f5ylyzv1Ny1ruvF4U7rDOSjtmWzGyK_J1PWNi7uXe4e48xafai2s6_1wQu9AXmKH8nA16pUP8azjdqCN0x1EGR9NyE1awyTl7jHq\
                58LurYtCKO_8R1cCfapy8-v4hIEQ92QWd7dmNbiHdxFiU7vdPZAcNy3u1uZ4UF_Oe7ctgjO5PJGB-sL3-I-_jlK7ejmzsgh8YONY\
                KiBAXLBuy8z78XOz0BO7OyMhoG2Ud3kGC7Py2wPbwxPOQK0nIKnFJYQ6fbkrLWn6ra-fIPun9x8udFFlMMuqC04gVZ0GmWcXILc1\
                AemkA_Bl32goPvS6dUFxo9SdQhjs4Fg8pDpXXCn19w
                """)
    }

    @Test("a signature is valid only for its key, its bytes and its length")
    func isSpecific() throws {
        let keys = [
            SignatureKey(secret: Array("a secret".utf8)), try #require(SignatureKey(p256PEM: TestKeys.p256)),
            try #require(SignatureKey(rsaPEM: TestKeys.rsa)),
        ]
        // Repeated, because ES256 signatures are random, and r or s starts with a zero byte in one of 128.
        for round in 0..<300 {
            let bytes = Array("bytes \(round)".utf8)
            for (number, key) in keys.enumerated() where round < 3 || key.algorithm == .es256 {
                let signature = key.sign(bytes)
                #expect(signature.count == [32, 64, 256][number])
                #expect(keys.indices.filter { keys[$0].isSignature(signature, of: bytes[...]) } == [number])
                #expect(!key.isSignature(signature, of: bytes.dropLast()))
                #expect(!key.isSignature(Array(signature.dropLast()), of: bytes[...]))
                #expect(!key.isSignature(signature + [0], of: bytes[...]))
                #expect(!key.isSignature([], of: bytes[...]))
                #expect(!key.isSignature(signature.map { _ in 0 }, of: bytes[...]))
            }
        }
    }

    @Test("private keys of another kind, of a short length, encrypted or damaged give no key")
    func rejectsOtherKeys() {
        for pem in [TestKeys.rsa, TestKeys.p384, TestKeys.encrypted, "", "x"] + Self.damaged(TestKeys.p256) {
            #expect(SignatureKey(p256PEM: pem) == nil, "\(pem)")
        }
        for pem in [TestKeys.p256, TestKeys.rsa1024, TestKeys.encrypted, "", "x"] + Self.damaged(TestKeys.rsa) {
            #expect(SignatureKey(rsaPEM: pem) == nil, "\(pem)")
        }
    }

    /// Returns copies of the key without its first or last one or two lines.
    private static func damaged(_ pem: String) -> [String] {
        let lines = pem.split(separator: "\n")
        return [lines.dropFirst(), lines.dropLast(), lines.dropFirst(2), lines.dropLast(2)].map {
            $0.joined(separator: "\n")
        }
    }

    @Test("a private key with a changed character gives no key, or signs correctly")
    func rejectsChangedKeys() {
        let bytes = Array("bytes".utf8)
        for (pem, makeKey) in [
            (TestKeys.rsa, { SignatureKey(rsaPEM: $0) }), (TestKeys.p256, { SignatureKey(p256PEM: $0) }),
        ] as [(String, (String) -> SignatureKey?)] {
            var rejected = 0
            let lines = pem.split(separator: "\n")
            for number in 1..<lines.count - 1 {
                var changed = lines.map(Array.init)
                let middle = changed[number].count / 2
                changed[number][middle] = changed[number][middle] == "A" ? "B" : "A"
                let text = changed.map { String($0) }.joined(separator: "\n")
                guard let key = makeKey(text) else {
                    rejected += 1
                    continue
                }
                // Parts that signing does not use may differ, such as the public key in the file.
                #expect(makeKey(pem)?.isSignature(key.sign(bytes), of: bytes[...]) == true, "\(text)")
            }
            #expect(rejected > 0)
        }
    }

    @Test("private keys may have any line ends, empty lines and surrounding text")
    func acceptsOtherLayouts() throws {
        let bytes = Array("bytes".utf8)
        let key = try #require(SignatureKey(p256PEM: TestKeys.p256))
        for separator in ["\r\n", "\r", "\n\n", "\r\n\r\n"] {
            let pem = TestKeys.p256.replacing("\n", with: separator)
            let read = try #require(SignatureKey(p256PEM: "Key of the team:\n\(pem)\nend\n"))
            #expect(key.isSignature(read.sign(bytes), of: bytes[...]))
        }
    }

    @Test("RSA numbers that OpenSSL reads but does not use give no key")
    func rejectsUnusableNumbers() {
        let largest = [UInt8](repeating: 255, count: 2048)
        let exponent: [UInt8] = [1, 0, 1]
        #expect(SignatureKey(modulus: largest, exponent: exponent) != nil)
        #expect(SignatureKey(modulus: [1] + largest, exponent: exponent) == nil)
        #expect(SignatureKey(modulus: largest.dropLast() + [254], exponent: exponent) == nil)
        #expect(SignatureKey(modulus: [], exponent: exponent) == nil)
        #expect(SignatureKey(modulus: largest, exponent: [1, 255, 255, 255, 255]) != nil)
        #expect(SignatureKey(modulus: largest, exponent: [2, 0, 0, 0, 1]) == nil)
        #expect(SignatureKey(modulus: largest, exponent: [1, 0, 0, 0, 0, 1]) == nil)
    }

    @Test("coordinates that are not a point of P-256, or not of 32 bytes, give no key")
    func rejectsOtherPoints() throws {
        let x = try Self.bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        let y = try Self.bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        #expect(SignatureKey(x: x, y: y) != nil)
        #expect(SignatureKey(x: y, y: x) == nil)
        #expect(SignatureKey(x: x, y: x) == nil)
        #expect(SignatureKey(x: Array(repeating: 0, count: 32), y: Array(repeating: 0, count: 32)) == nil)
        #expect(SignatureKey(x: x.dropLast(), y: y) == nil)
        #expect(SignatureKey(x: x, y: y + [0]) == nil)
    }
}
