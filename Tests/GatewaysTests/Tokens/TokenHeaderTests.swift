import Testing

@testable import Gateways

@Suite("Headers and format of tokens")
struct TokenHeaderTests {
    private func rejection(header: String) async throws -> TokenRejection? {
        try await TokenVerifier().rejection(TestIssuer().token(.claims(), header: header))
    }

    @Test(
        "additional members of a header are ignored, and kid may be null",
        arguments: [
            #""typ":"JWT""#, #""kid":null"#, #""x":1e300"#, #""x":-1e300"#, #""x":[[{"y":9223372036854775808}]]"#,
            #""jku":"https://attacker.test/keys""#, #""x5c":["a"]"#, #""jwk":{"kty":"oct","k":"AAAA"}"#,
        ])
    func ignored(member: String) async throws {
        #expect(try await rejection(header: #"{"alg":"HS256",\#(member)}"#) == nil)
    }

    @Test("a key embedded in the token is not trusted")
    func embeddedKey() async throws {
        let forger = try TestIssuer.curve()
        for name in [#""kid":"own","#, ""] {
            let header = #"{"alg":"ES256",\#(name)"jwk":\#(forger.key("own"))}"#
            let rejection = try await TokenVerifier().rejection(forger.token(.claims(), header: header))
            #expect(rejection == .invalid(reason: name.isEmpty ? .otherAlgorithm : .unknownKey))
        }
    }

    @Test(
        "a header with a critical extension is rejected",
        arguments: [#"["exp"]"#, "[]", "null", #"["b64"],"b64":false"#])
    func critical(value: String) async throws {
        #expect(try await rejection(header: #"{"alg":"HS256","crit":\#(value)}"#) == .invalid(reason: .critical))
    }

    @Test(
        "an unreadable header, or one without a string alg, is rejected",
        arguments: [
            "", "{", "[]", "null", #""HS256""#, "{}", #"{"alg":null}"#, #"{"alg":1}"#, #"{"alg":["HS256"]}"#,
            #"{"alg":"HS256","kid":1}"#, #"{"alg":"HS256"}x"#, #"{'alg':'HS256'}"#,
        ])
    func unreadable(header: String) async throws {
        let expected: TokenRejection.Reason = header.isEmpty ? .format : .header
        #expect(try await rejection(header: header) == .invalid(reason: expected))
    }

    @Test("deeply nested JSON is rejected without a crash")
    func nesting() async throws {
        let deep = String(repeating: "[", count: 2500)
        #expect(try await rejection(header: #"{"alg":"HS256","x":\#(deep)}"#) == .invalid(reason: .header))
        let token = TestIssuer().token(#"{"exp":\#(deep)}"#)
        #expect(try await TokenVerifier().rejection(token) == .invalid(reason: .claims))
    }

    @Test(
        "text that is not a token is rejected", arguments: ["a", "a.b", ".", "..", "a.b.c", "aa.bb", "é.é.é", "\u{0}"])
    func formats(token: String) async throws {
        #expect(try await TokenVerifier().rejection(token) == .invalid(reason: .format))
    }

    @Test("an empty token is reported as missing")
    func missing() async throws {
        #expect(try await TokenVerifier().rejection("") == .missing)
    }

    @Test("a token with surrounding text or a fourth part is rejected")
    func surroundings() async throws {
        let token = TestIssuer().token(.claims())
        let verifier = try TokenVerifier()
        #expect(await verifier.rejection(token) == nil)
        for other in [
            "\(token) ", " \(token)", "\(token)\n", "\(token).", ".\(token)", "\(token).aa", "Bearer \(token)",
        ] {
            #expect(await verifier.rejection(other) == .invalid(reason: .format), "\(other)")
        }
    }

    @Test("a token is accepted only in its exact base64url encoding")
    func oneSpelling() async throws {
        let verifier = try TokenVerifier(
            secret: SignedByOpenSSL.secret, file: try TestKeyFile(TestKeyFile.openSSL))
        for token in [SignedByOpenSSL.hs256, SignedByOpenSSL.rs256, SignedByOpenSSL.es256] {
            var accepted: [Character] = []
            for last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=" {
                if await verifier.rejection(token.dropLast() + String(last)) == nil { accepted.append(last) }
            }
            #expect(accepted == token.suffix(1).map { $0 })
            for padding in ["=", "=="] {
                #expect(await verifier.rejection(token + padding) == .invalid(reason: .format))
            }
            let otherAlphabet = token.replacing("-", with: "+").replacing("_", with: "/")
            if otherAlphabet != token { #expect(await verifier.rejection(otherAlphabet) == .invalid(reason: .format)) }
        }
    }

    @Test("a token may have up to 8192 bytes")
    func length() async throws {
        let issuer = TestIssuer()
        let verifier = try TokenVerifier()
        var lengths: Set<Int> = []
        // Base64 does not produce every length, so headers of three lengths are used.
        for type in ["", "a", "aa"] {
            for count in 5900...6080 {
                let token = issuer.token(
                    .claims(#""sub":"\#(String(repeating: "s", count: count))""#),
                    header: #"{"alg":"HS256","typ":"\#(type)"}"#)
                let length = token.utf8.count
                guard (8190...8194).contains(length), lengths.insert(length).inserted else { continue }
                let isTooLong = length > 8192
                #expect(await verifier.rejection(token) == (isTooLong ? .invalid(reason: .tooLong) : nil))
            }
        }
        #expect(lengths == [8190, 8191, 8192, 8193, 8194])
    }
}
