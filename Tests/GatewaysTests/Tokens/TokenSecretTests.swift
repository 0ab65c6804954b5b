import Testing

@testable import Gateways
@testable import Runtime

@Suite("Token secrets")
struct TokenSecretTests {
    private func error(_ configuration: TokenConfiguration) -> String? {
        do throws(TokenConfigurationError) {
            _ = try TokenVerifier(configuration)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("a verifier needs a key")
    func noKey() async {
        #expect(
            error(TokenConfiguration(issuer: "a"))
                == "No key to verify tokens: set SIGHTLINE_TOKEN_SECRET (make one with "
                + "`sightline token --new-secret`) or SIGHTLINE_TOKEN_JWKS_FILE.")
    }

    @Test("a secret needs at least 32 bytes", arguments: [0, 1, 31, 32, 33])
    func length(count: Int) async {
        let error = error(TokenConfiguration(secret: Secret(String(repeating: "s", count: count))))
        if count >= 32 { return #expect(error == nil) }
        #expect(
            error == "SIGHTLINE_TOKEN_SECRET has \(count) bytes but needs at least 32, or it could be computed from a "
                + "token; make one with `sightline token --new-secret`.")
    }

    @Test(
        "a public key as the secret is rejected, because anyone could sign with it",
        arguments: [SignedByOpenSSL.publicKeyPEM, " " + TestKeyFile.openSSL[0], #"{"keys":[]}"#])
    func keyAsSecret(text: String) async {
        let error = error(TokenConfiguration(secret: Secret(text)))
        #expect(error?.hasPrefix("SIGHTLINE_TOKEN_SECRET holds a key in PEM or JSON instead of a secret: ") == true)
        #expect(error?.contains("SIGHTLINE_TOKEN_JWKS_FILE") == true)
    }

    @Test("the configuration is read from the settings, and its description does not reveal the secret")
    func settings() throws {
        let settings = try Settings(
            for: .riderGateway,
            environment: [
                "SIGHTLINE_TOKEN_SECRET": TestIssuer.secret, "SIGHTLINE_TOKEN_JWKS_FILE": #filePath,
                "SIGHTLINE_TOKEN_ISSUER": "i", "SIGHTLINE_TOKEN_AUDIENCE": "a",
            ])
        let configuration = TokenConfiguration(settings.gateway.tokens)
        #expect(configuration.secret?.reveal() == TestIssuer.secret && configuration.jwksFile == #filePath)
        #expect(configuration.issuer == "i" && configuration.audience == "a" && configuration.leewaySeconds == 30)
        var text = "\(configuration)"
        dump(configuration, to: &text)
        #expect(!text.contains(TestIssuer.secret))
    }

    @Test("new secrets are unique and have 64 hexadecimal digits")
    func random() async {
        let secrets = (0..<20).map { _ in TokenSecret.random() }
        #expect(Set(secrets).count == 20)
        for secret in secrets {
            #expect(secret.wholeMatch(of: /[0-9a-f]{64}/) != nil)
            #expect(error(TokenConfiguration(secret: Secret(secret))) == nil)
        }
    }
}
