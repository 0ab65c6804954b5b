import ArgumentParser
import Foundation
import Testing

@testable import Gateways
@testable import Runtime
@testable import SightlineCLI
@testable import Support

@Suite("sightline token")
struct TokenCommandTests {
    private static let secret = "a test secret, 32 bytes at least"
    /// 2026-03-14T18:00:00Z.
    private static let now = Timestamp(milliseconds: 1_773_511_200_000)

    private func tokens(_ environment: [String: String] = ["SIGHTLINE_TOKEN_SECRET": Self.secret]) throws
        -> TokenSettings
    {
        try Settings(for: .commandLine, environment: environment).gateway.tokens
    }

    /// Returns the claims that a gateway with the same settings reads from a new token.
    private func claims(
        _ arguments: [String], _ environment: [String: String] = ["SIGHTLINE_TOKEN_SECRET": Self.secret]
    ) async throws -> TokenClaims {
        let token = try TokenCommand.parse(arguments).token(try tokens(environment), now: Self.now)
        let verifier = try TokenVerifier(TokenConfiguration(try tokens(environment)))
        return try await verifier.verify(token, now: Self.now)
    }

    /// Returns the error for invalid arguments; empty if they are valid.
    private func failure(_ arguments: [String]) -> String {
        do {
            _ = try TokenCommand.parse(arguments)
            return ""
        } catch {
            return TokenCommand.message(for: error)
        }
    }

    @Test("a token has trips, routes, driver and scopes, and expires after an hour by default")
    func allOptions() async throws {
        var claims = try await claims([
            "--trip", "tr_1", "--trip", "tr_2", "--route", "17", "--driver", "drv_1", "--scope", "fleet", "--scope",
            "drivers.near", "--subject", "me and you",
        ])
        claims.key = nil
        #expect(
            claims
                == TokenClaims(
                    subject: "me and you", expiresAt: Self.now.advanced(bySeconds: 3600),
                    leewayMilliseconds: 30_000, trips: .only(["tr_1", "tr_2"]),
                    routes: .only(["17"]), driver: "drv_1", scopes: ["fleet", "drivers.near"]))
    }

    @Test("an asterisk allows all trips or routes")
    func all() async throws {
        let claims = try await claims(["--trip", "*", "--route", "*"])
        #expect(claims.trips == .all && claims.routes == .all && claims.driver == nil && claims.scopes.isEmpty)
    }

    @Test("tokens expire after --expires", arguments: [("90s", 90), ("30min", 1800), ("8h", 28_800), ("7d", 604_800)])
    func expiry(text: String, seconds: Double) async throws {
        let claims = try await claims(["--scope", "fleet", "--expires", text])
        #expect(claims.expiresAt == Self.now.advanced(bySeconds: seconds))
    }

    @Test("issuer and audience come from the environment")
    func issuer() async throws {
        let environment = [
            "SIGHTLINE_TOKEN_SECRET": Self.secret, "SIGHTLINE_TOKEN_ISSUER": "https://i.test",
            "SIGHTLINE_TOKEN_AUDIENCE": "riders",
        ]
        #expect(try await claims(["--trip", "tr_1"], environment).allows(trip: "tr_1"))
    }

    @Test("without a secret, the error suggests --new-secret")
    func noSecret() throws {
        let error = #expect(throws: TokenConfigurationError.self) {
            try TokenCommand.parse(["--trip", "tr_1"]).token(try tokens([:]), now: Self.now)
        }
        #expect(error?.description.contains("`sightline token --new-secret`") == true)
    }

    @Test("a token must have a trip, route, driver or scope")
    func empty() {
        for arguments in [[], ["--expires", "1h"], ["--subject", "me"]] {
            #expect(failure(arguments).contains("give --trip ID, --route ID, --driver ID or --scope NAME."))
        }
    }

    @Test("invalid ids are errors", arguments: ["a b", "a,b", "é", "tr_*"])
    func ids(id: String) {
        for option in ["--trip", "--route", "--driver"] {
            #expect(failure(["\(option)=\(id)"]).contains("\(option) must be 1 to 128 characters"), "\(option)=\(id)")
        }
        #expect(failure(["--driver", "*"]).contains("--driver must be 1 to 128"))
    }

    @Test("an invalid scope is an error", arguments: ["fleet drivers.near", "a\tb", "é"])
    func scope(name: String) {
        #expect(failure(["--scope=\(name)"]).contains("--scope must be one name without spaces"))
    }

    @Test("a lifetime without a unit is an error")
    func unit() {
        #expect(failure(["--trip", "tr_1", "--expires", "5"]).contains("5 has no unit; use 5s, 5min, 5h or 5d."))
    }

    @Test("--new-secret cannot be combined with other options")
    func newSecret() async throws {
        #expect(try TokenCommand.parse(["--new-secret"]).newSecret)
        for options in [["--trip", "tr_1"], ["--scope", "fleet"], ["--expires", "1h"], ["--subject", "me"]] {
            #expect(failure(["--new-secret"] + options).contains("--new-secret creates no token"))
        }
    }

    @Test("the help shows the options for trips, routes, drivers and scopes")
    func help() throws {
        #expect(try Sightline.parseAsRoot(["token", "--trip", "tr_1"]) is TokenCommand)
        let help = TokenCommand.helpMessage(columns: 120)
        for word in [
            "SIGHTLINE_TOKEN_SECRET", "--new-secret", "--trip tr_", "--route 17", "--scope fleet", "--driver drv_",
        ] {
            #expect(help.contains(word), "\(word)")
        }
    }
}
