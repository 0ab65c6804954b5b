import Foundation
import Testing

@testable import Gateways

@Suite("Token key files")
struct TokenKeyFileTests {
    private static let rsa = TestKeyFile.openSSL[0]

    /// Returns the error of a file; `nil` if it is valid.
    private func error(_ text: String, secret: String? = nil) throws -> String? {
        let file = try TestKeyFile(text: text)
        do {
            _ = try TokenVerifier(secret: secret, file: file)
            return nil
        } catch let error as TokenConfigurationError {
            #expect(error.description.hasPrefix("SIGHTLINE_TOKEN_JWKS_FILE=\(file.path): "), "\(error)")
            return error.description.replacing("SIGHTLINE_TOKEN_JWKS_FILE=\(file.path): ", with: "")
        }
    }

    @Test("an unusable key does not prevent the use of other keys")
    func otherKeys() async throws {
        let secret = TestIssuer()
        let file = try TestKeyFile(
            [#"{"kty":"OKP","kid":"ed","crv":"Ed25519","x":"AAAA"}"#, #"{"kid":5}"#, "7", "null"] + TestKeyFile.openSSL
                + [secret.key("oct")])
        let verifier = try TokenVerifier(secret: nil, file: file)
        #expect(await verifier.rejection(SignedByOpenSSL.rs256) == nil)
        #expect(await verifier.rejection(SignedByOpenSSL.es256) == nil)
        #expect(await verifier.rejection(secret.token(.claims(), kid: "oct")) == nil)
        let unreadable = #"the key without "kid": it has no "kty", or a member that is not text"#
        #expect(
            verifier.ignoredKeys == [#"key "ed": its "kty" is not RSA, EC or oct"#, unreadable, unreadable, unreadable])
    }

    @Test(
        "keys for other purposes or algorithms and weak keys are ignored with the reason",
        arguments: [
            (#""kty":"RSA","alg":"RS512","n":"\#(SignedByOpenSSL.modulus)","e":"AQAB""#, #"its "alg" is not RS256"#),
            (#""kty":"RSA","alg":"PS256","n":"\#(SignedByOpenSSL.modulus)","e":"AQAB""#, #"its "alg" is not RS256"#),
            (#""kty":"RSA","alg":"HS256","n":"\#(SignedByOpenSSL.modulus)","e":"AQAB""#, #"its "alg" is not RS256"#),
            (#""kty":"RSA","use":"enc","n":"\#(SignedByOpenSSL.modulus)","e":"AQAB""#, #"its "use" is not "sig""#),
            (
                #""kty":"RSA","key_ops":["encrypt"],"n":"\#(SignedByOpenSSL.modulus)","e":"AQAB""#,
                #"its "key_ops" do not include "verify""#
            ),
            (
                #""kty":"RSA","n":"\#(SignedByOpenSSL.modulus1024)","e":"AQAB""#,
                "it is an RSA key of 1024 bits, and at least 2048 are needed"
            ),
            (
                #""kty":"RSA","n":"\#(SignedByOpenSSL.modulus2047)","e":"AQAB""#,
                "it is an RSA key of 2047 bits, and at least 2048 are needed"
            ),
            (#""kty":"RSA","n":"\#(SignedByOpenSSL.modulus)","e":"AQ""#, #"its "e" is not an odd number above 1"#),
            (#""kty":"RSA","n":"\#(SignedByOpenSSL.modulus)","e":"AA""#, #"its "e" is not an odd number above 1"#),
            (#""kty":"RSA","n":"\#(SignedByOpenSSL.modulus)","e":"Ag""#, #"its "e" is not an odd number above 1"#),
            // The last bits of the modulus are those of an even number.
            (
                #""kty":"RSA","n":"\#(SignedByOpenSSL.modulus.dropLast())A","e":"AQAB""#,
                "it is not an RSA key that can be used"
            ),
            (
                #""kty":"RSA","n":"\#(SignedByOpenSSL.modulus)","e":"AgAAAAE""#,
                "it is not an RSA key that can be used"
            ),
            (#""kty":"RSA","n":"\#(SignedByOpenSSL.modulus)""#, #"it has no "n" and "e" in base64url"#),
            (#""kty":"RSA","n":"a+b=","e":"AQAB""#, #"it has no "n" and "e" in base64url"#),
            (
                #""kty":"EC","crv":"P-384","x":"\#(SignedByOpenSSL.x384)","y":"\#(SignedByOpenSSL.y384)""#,
                #"its "crv" is not P-256"#
            ),
            (
                #""kty":"EC","crv":"P-256","x":"\#(SignedByOpenSSL.x384)","y":"\#(SignedByOpenSSL.y384)""#,
                #"it has no "x" and "y" of 32 bytes in base64url"#
            ),
            (
                #""kty":"EC","crv":"P-256","x":"\#(SignedByOpenSSL.y)","y":"\#(SignedByOpenSSL.x)""#,
                #"its "x" and "y" are not a point of P-256"#
            ),
            (
                #""kty":"EC","crv":"P-256","alg":"ES384","x":"\#(SignedByOpenSSL.x)","y":"\#(SignedByOpenSSL.y)""#,
                #"its "alg" is not ES256"#
            ),
            (
                // 31 bytes.
                #""kty":"oct","k":"YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYQ""#,
                "it is a secret of 31 bytes, and at least 32 are needed"
            ),
            (#""kty":"oct","k":"""#, "it is a secret of 0 bytes, and at least 32 are needed"),
            (#""kty":"oct""#, #"it has no "k" in base64url"#),
            (#""kty":"oct","alg":"HS512","k":"YWFh""#, #"its "alg" is not HS256"#),
            (#""kty":"rsa""#, #"its "kty" is not RSA, EC or oct"#),
        ])
    func ignored(members: String, reason: String) async throws {
        let key = #"{"kid":"k1",\#(members)}"#
        let file = try TestKeyFile([key, Self.rsa])
        #expect(try TokenVerifier(secret: nil, file: file).ignoredKeys == [#"key "k1": \#(reason)"#])
        // Without another key the file is invalid, even if there is a secret.
        for secret in [nil, TestIssuer.secret] {
            let error = try error(#"{"keys":[\#(key)]}"#, secret: secret)
            #expect(
                error
                    == #"no key can be used (key "k1": \#(reason)); give RSA keys of at least 2048 bits (RS256), EC "#
                    + "keys on P-256 (ES256) or secrets of at least 32 bytes (HS256).")
        }
    }

    @Test("keys with use and alg, a key with a private part, and a secret of 32 bytes are accepted")
    func accepted() async throws {
        let file = try TestKeyFile([
            Self.rsa.replacing(#""kid""#, with: #""use":"sig","alg":"RS256","key_ops":["verify"],"kid""#),
            TestKeyFile.openSSL[1].replacing(#""kid""#, with: #""d":"AAAA","use":"sig","alg":"ES256","kid""#),
            #"{"kty":"oct","kid":"32","alg":"HS256","k":"YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE"}"#,
        ])
        let verifier = try TokenVerifier(secret: nil, file: file)
        #expect(verifier.ignoredKeys == [])
        for token in [
            SignedByOpenSSL.rs256, SignedByOpenSSL.es256,
            TestIssuer(secret: String(repeating: "a", count: 32)).token(.claims(), kid: "32"),
        ] { #expect(await verifier.rejection(token) == nil) }
    }

    @Test("two keys with the same kid, or two without kid, are rejected")
    func sameName() async throws {
        let other = try TestIssuer.curve().key("rsa")
        #expect(
            try error(#"{"keys":[\#(Self.rsa),\#(other)]}"#)
                == #"key "rsa" is in the file twice; give each key a unique "kid"."#)
        let unnamed = Self.rsa.replacing(#""kid":"rsa","#, with: "")
        #expect(
            try error(#"{"keys":[\#(unnamed),\#(unnamed)]}"#)
                == #"the key without "kid" is in the file twice; give each key a unique "kid"."#)
        #expect(
            try error(#"{"keys":[\#(unnamed)]}"#, secret: TestIssuer.secret)?.contains(
                "SIGHTLINE_TOKEN_SECRET is set")
                == true)
        // An ignored key does not reserve its kid.
        let encryption = Self.rsa.replacing(#""kid""#, with: #""use":"enc","kid""#)
        #expect(try error(#"{"keys":[\#(encryption),\#(Self.rsa)]}"#) == nil)
    }

    @Test("control characters in a key's name are escaped")
    func hostileName() async throws {
        let error = try #require(try error(#"{"keys":[{"kty":"x","kid":"a\nb\u001b[2J"}]}"#))
        #expect(error.contains(#"key "a\nb\u{1B}[2J": its"#) && !error.contains("\n"), "\(error)")
    }

    @Test(
        "a file that is not a key set is rejected",
        arguments: ["", "{", "[]", "{}", #"{"keys":{}}"#, #"{"kty":"RSA"}"#, SignedByOpenSSL.publicKeyPEM])
    func noKeySet(text: String) async throws {
        #expect(try error(text)?.hasPrefix("the file is not a JSON Web Key Set, such as ") == true)
    }

    @Test("a set without keys is rejected")
    func empty() async throws {
        #expect(try error(#"{"keys":[]}"#)?.hasPrefix("no key can be used (the file has no keys); give ") == true)
    }

    @Test("a file over 1 MiB is rejected")
    func size() async throws {
        let text = #"{"keys":[\#(Self.rsa)]}"#
        let blanks = String(repeating: " ", count: (1 << 20) - text.utf8.count)
        #expect(try error(text + blanks) == nil)
        #expect(try error(text + blanks + " ")?.hasPrefix("the file is larger than 1 MiB") == true)
    }

    @Test("a missing file and a directory are rejected", arguments: ["/no/such/file", "/tmp"])
    func missing(path: String) async throws {
        let error = #expect(throws: TokenConfigurationError.self) {
            try TokenVerifier(secret: TestIssuer.secret, keyFile: path)
        }
        #expect(
            error?.description
                == "SIGHTLINE_TOKEN_JWKS_FILE=\(path): the file cannot be read; check its path and permissions.")
    }
}
