import Testing

@testable import Gateways
@testable import Runtime
@testable import Support

@Suite("Creation of tokens")
struct TokenMinterTests {
    @Test("a created token has exactly the given claims, exp and iat")
    func claims() async throws {
        let grant = TokenGrant(
            subject: "me", issuer: "https://i/", audience: "a", trips: ["tr_1", "tr_2"], routes: ["*"], driver: "drv_1",
            scopes: ["fleet", "drivers.near"], lifetimeSeconds: 60)
        let token = try TokenMinter(secret: Secret(TestIssuer.secret)).mint(grant, now: .test)
        let verifier = try TokenVerifier(issuer: "https://i/", audience: "a")
        var claims = try await verifier.verify(token, now: .test)
        claims.key = nil
        #expect(
            claims
                == TokenClaims(
                    subject: "me", expiresAt: Timestamp.test.advanced(bySeconds: 60), leewayMilliseconds: 30_000,
                    trips: .only(["tr_1", "tr_2"]), routes: .all, driver: "drv_1", scopes: ["fleet", "drivers.near"]))
        let parts = try #require(TokenParts(token))
        #expect(String(decoding: parts.header, as: UTF8.self) == #"{"alg":"HS256","typ":"JWT"}"#)
        #expect(
            String(decoding: parts.payload, as: UTF8.self)
                == #"{"aud":"a","driver":"drv_1","exp":1773511260,"iat":1773511200,"iss":"https://i/","#
                + #""routes":["*"],"scope":"fleet drivers.near","sub":"me","trips":["tr_1","tr_2"]}"#)
    }

    @Test("absent claims are omitted")
    func absent() async throws {
        let grant = TokenGrant(scopes: ["fleet"], lifetimeSeconds: 1)
        let token = try TokenMinter(secret: Secret(TestIssuer.secret)).mint(grant, now: .test)
        let parts = try #require(TokenParts(token))
        #expect(
            String(decoding: parts.payload, as: UTF8.self) == #"{"exp":1773511201,"iat":1773511200,"scope":"fleet"}"#)
    }

    @Test("a missing or short secret is rejected")
    func secrets() async {
        let missing = #expect(throws: TokenConfigurationError.self) { try TokenMinter(secret: nil) }
        #expect(
            missing?.description
                == "SIGHTLINE_TOKEN_SECRET is not set: make one with `sightline token --new-secret`, and "
                + "start the gateways with the same secret.")
        let short = #expect(throws: TokenConfigurationError.self) { try TokenMinter(secret: Secret("s")) }
        #expect(short?.description.hasPrefix("SIGHTLINE_TOKEN_SECRET has 1 bytes but ") == true)
    }
}
