import Foundation
import Testing

@testable import Gateways
@testable import Support

@Suite("Token signatures")
struct TokenSignatureTests {
    /// Creates a verifier with all OpenSSL keys and the secret.
    private func openSSL() async throws -> TokenVerifier {
        let file = try TestKeyFile(TestKeyFile.openSSL)
        return try TokenVerifier(secret: SignedByOpenSSL.secret, file: file)
    }

    @Test(
        "tokens signed by OpenSSL are accepted",
        arguments: [SignedByOpenSSL.hs256, SignedByOpenSSL.rs256, SignedByOpenSSL.es256])
    func openSSLTokens(token: String) async throws {
        let claims = try await openSSL().verify(token, now: .test)
        #expect(claims.subject == "rider_1" && claims.driver == "drv_1")
        #expect(claims.expiresAt == Timestamp(milliseconds: 4_102_444_800_000))
        #expect(claims.leewayMilliseconds == 30_000)
        #expect(claims.allows(trip: "tr_1") && claims.allows(trip: "tr_2") && !claims.allows(trip: "tr_3"))
        #expect(claims.routes == .all && claims.allows(route: "17"))
        #expect(claims.scopes == ["fleet", "drivers.near"] && claims.has(scope: "fleet") && !claims.has(scope: "f"))
    }

    @Test("an RSA key without alg verifies only RS256 tokens, even if other algorithms are tried first")
    func firstToken() async throws {
        let verifier = try await openSSL()
        for token in [SignedByOpenSSL.rs512, SignedByOpenSSL.ps256] {
            #expect(await verifier.rejection(token) == .invalid(reason: .algorithm))
        }
        #expect(await verifier.rejection(SignedByOpenSSL.rs256) == nil)
        #expect(await verifier.rejection(SignedByOpenSSL.rs512) == .invalid(reason: .algorithm))
    }

    @Test("a token with an unknown kid is not verified with another key", arguments: [true, false])
    func unknownKey(hasSecret: Bool) async throws {
        let (first, second) = (try TestIssuer.curve(), try TestIssuer.curve())
        let file = try TestKeyFile([first.key("a"), second.key("b")])
        let verifier = try TokenVerifier(secret: hasSecret ? TestIssuer.secret : nil, file: file)
        for issuer in [first, second, TestIssuer()] {
            for kid in ["c", "", "A"] {
                #expect(
                    await verifier.rejection(issuer.token(.claims(), kid: kid)) == .invalid(reason: .unknownKey))
            }
        }
        #expect(await verifier.rejection(first.token(.claims(), kid: "a")) == nil)
        #expect(await verifier.rejection(first.token(.claims(), kid: "b")) == .invalid(reason: .signature))
        // A token without a kid is verified with the secret only.
        let unnamed = await verifier.rejection(first.token(.claims()))
        #expect(unnamed == .invalid(reason: hasSecret ? .otherAlgorithm : .unknownKey))
    }

    @Test("a key without kid verifies only tokens without kid")
    func unnamedKey() async throws {
        let issuer = try TestIssuer.curve()
        let file = try TestKeyFile([issuer.key("a").replacing(#""kid":"a","#, with: "")])
        let verifier = try TokenVerifier(secret: nil, file: file)
        #expect(await verifier.rejection(issuer.token(.claims())) == nil)
        #expect(await verifier.rejection(issuer.token(.claims(), kid: "a")) == .invalid(reason: .unknownKey))
    }

    @Test("a token signed with the file's secret is accepted")
    func secretOfFile() async throws {
        let issuer = TestIssuer(secret: "another secret of a file, which is long")
        let file = try TestKeyFile([issuer.key("h")])
        let verifier = try TokenVerifier(secret: nil, file: file)
        #expect(await verifier.rejection(issuer.token(.claims(), kid: "h")) == nil)
        #expect(await verifier.rejection(issuer.token(.claims())) == .invalid(reason: .unknownKey))
    }

    @Test("a public key cannot be used as an HMAC secret")
    func publicKeyAsSecret() async throws {
        let file = try TestKeyFile(TestKeyFile.openSSL)
        let verifier = try TokenVerifier(secret: nil, file: file)
        for secret in [SignedByOpenSSL.publicKeyPEM, SignedByOpenSSL.modulus] {
            let forger = TestIssuer(secret: secret)
            #expect(
                await verifier.rejection(forger.token(.claims(), kid: "rsa")) == .invalid(reason: .otherAlgorithm))
            #expect(await verifier.rejection(forger.token(.claims())) == .invalid(reason: .unknownKey))
        }
    }

    @Test(
        "tokens with an empty algorithm, or the algorithm `none` in any spelling, are rejected",
        arguments: ["none", "None", "NONE", "nOnE", ""])
    func noAlgorithm(name: String) async throws {
        let verifier = try TokenVerifier()
        let header = #"{"alg":"\#(name)"}"#
        let signed = TestIssuer().token(.claims(), header: header)
        #expect(await verifier.rejection(signed) == .invalid(reason: .algorithm))
        let unsigned = String(signed[...(signed.lastIndex(of: ".") ?? signed.startIndex)])
        #expect(await verifier.rejection(unsigned) == .invalid(reason: .format))
    }

    @Test(
        "the header's algorithm must be that of the key, even if the signature is valid",
        arguments: ["RS256", "ES256"])
    func otherAlgorithm(name: String) async throws {
        let token = TestIssuer().token(.claims(), header: #"{"alg":"\#(name)"}"#)
        #expect(try await TokenVerifier().rejection(token) == .invalid(reason: .otherAlgorithm))
    }

    @Test("unsupported algorithms are rejected", arguments: ["HS384", "HS512", "RS384", "ES384", "EdDSA", "hs256"])
    func otherAlgorithms(name: String) async throws {
        let token = TestIssuer().token(.claims(), header: #"{"alg":"\#(name)"}"#)
        #expect(try await TokenVerifier().rejection(token) == .invalid(reason: .algorithm))
    }

    @Test("a signature with another secret and a truncated signature are rejected")
    func wrongSignature() async throws {
        let verifier = try TokenVerifier()
        let other = TestIssuer(secret: String(TestIssuer.secret.reversed()))
        #expect(await verifier.rejection(other.token(.claims())) == .invalid(reason: .signature))
        let token = TestIssuer().token(.claims())
        let start = try #require(token.lastIndex(of: "."))
        for length in [2, 4, 20, 40] {
            let cut = token[...token.index(start, offsetBy: length)]
            let rejection = await verifier.rejection(String(cut))
            #expect(rejection == .invalid(reason: .signature) || rejection == .invalid(reason: .format), "\(cut)")
        }
    }

    @Test("an expired token with a wrong signature is invalid, not expired")
    func expiredForgery() async throws {
        let other = TestIssuer(secret: String(TestIssuer.secret.reversed()))
        #expect(try await TokenVerifier().rejection(other.token(#"{"exp":1}"#)) == .invalid(reason: .signature))
    }
}
