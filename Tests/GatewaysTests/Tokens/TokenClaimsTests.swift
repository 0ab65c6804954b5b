import Testing

@testable import Gateways
@testable import Support

@Suite("Claims of tokens")
struct TokenClaimsTests {
    private func rejection(
        _ payload: String, issuer: String? = nil, audience: String? = nil, now: Timestamp = .test
    ) async throws -> TokenRejection? {
        try await TokenVerifier(issuer: issuer, audience: audience).rejection(TestIssuer().token(payload), now: now)
    }

    private func claims(_ members: String) async throws -> TokenClaims {
        try await TokenVerifier().verify(TestIssuer().token(.claims(members)), now: .test)
    }

    /// The leeway is 30 s.
    @Test(
        "a token is accepted before exp plus the leeway",
        arguments: [(-1000, true), (-1, true), (0, false), (1, false), (1000, false)])
    func expiry(milliseconds: Int64, isAccepted: Bool) async throws {
        let now = Timestamp(milliseconds: 1_773_514_800_000 + 30_000 + milliseconds)
        #expect(try await rejection(.claims(), now: now) == (isAccepted ? nil : .expired))
    }

    @Test(
        "a token is accepted from nbf minus the leeway",
        arguments: [(-1000, false), (-1, false), (0, true), (1, true), (1000, true)])
    func notBefore(milliseconds: Int64, isAccepted: Bool) async throws {
        let now = Timestamp(milliseconds: 1_773_511_200_000 - 30_000 + milliseconds)
        let payload = String.claims(#""nbf":1773511200"#)
        #expect(try await rejection(payload, now: now) == (isAccepted ? nil : .invalid(reason: .early)))
    }

    @Test("without leeway, a token is accepted before exp")
    func noLeeway() async throws {
        let verifier = try TokenVerifier(TokenConfiguration(secret: .init(TestIssuer.secret), leewaySeconds: 0))
        let token = TestIssuer().token(.claims())
        #expect(await verifier.rejection(token, now: Timestamp(milliseconds: 1_773_514_799_999)) == nil)
        #expect(await verifier.rejection(token, now: Timestamp(milliseconds: 1_773_514_800_000)) == .expired)
    }

    @Test("times may have a fraction of a second")
    func fraction() async throws {
        let claims = try await TokenVerifier().verify(
            TestIssuer().token(#"{"exp":1773514800.5,"nbf":1.5e9}"#), now: .test)
        #expect(claims.expiresAt == Timestamp(milliseconds: 1_773_514_800_500))
        #expect(!claims.isExpired(at: Timestamp(milliseconds: 1_773_514_830_499)))
        #expect(claims.isExpired(at: Timestamp(milliseconds: 1_773_514_830_500)))
    }

    @Test("a token without exp is rejected", arguments: ["{}", #"{"exp":null}"#, #"{"nbf":1}"#])
    func noExpiry(payload: String) async throws {
        #expect(try await rejection(payload) == .invalid(reason: .noExpiry))
    }

    @Test(
        "times outside of the years 1970 to 9999 are rejected, such as times in milliseconds",
        arguments: ["1773514800000", "-1", "-1e300", "1e300", "253402300800"])
    func impossibleTimes(time: String) async throws {
        #expect(try await rejection(#"{"exp":\#(time)}"#) == .invalid(reason: .time))
        #expect(try await rejection(.claims(#""nbf":\#(time)"#)) == .invalid(reason: .time))
    }

    @Test("the first and last time of the years 1970 to 9999 are valid")
    func boundsOfTimes() async throws {
        #expect(try await rejection(#"{"exp":253402300799.999,"nbf":0}"#) == nil)
        #expect(try await rejection(#"{"exp":0}"#) == .expired)
        // Extreme times of the clock.
        for now in [Int64.min, Int64.max] {
            let rejection = try await rejection(.claims(#""nbf":1773511200"#), now: Timestamp(milliseconds: now))
            #expect(rejection == (now < 0 ? .invalid(reason: .early) : .expired))
        }
    }

    @Test(
        "claims of the wrong type are rejected",
        arguments: [
            #""exp":"1773514800""#, #""exp":true"#, #""exp":[1773514800]"#, #""exp":1773514800,"nbf":"0""#,
            #""exp":1773514800,"sub":1"#, #""exp":1773514800,"iss":["a"]"#, #""exp":1773514800,"trips":"tr_1""#,
            #""exp":1773514800,"trips":[1]"#, #""exp":1773514800,"trips":[null]"#, #""exp":1773514800,"routes":{}"#,
            #""exp":1773514800,"driver":7"#, #""exp":1773514800,"scope":["fleet"]"#, #""exp":1773514800,"aud":7"#,
            #""exp":1773514800,"aud":["a",7]"#, #""exp":1e999"#,
        ])
    func otherTypes(members: String) async throws {
        #expect(try await rejection("{\(members)}") == .invalid(reason: .claims))
    }

    @Test("a payload that is not an object is rejected", arguments: ["[]", "1", "null", "x", #"{"exp":1773514800"#])
    func noObject(payload: String) async throws {
        #expect(try await rejection(payload) == .invalid(reason: .claims))
    }

    @Test(
        "a token is rejected if its iss differs from the configured issuer",
        arguments: [
            (#""iss":"https://issuer.test""#, true), (#""iss":"https://issuer.test/""#, false),
            (#""iss":"HTTPS://ISSUER.TEST""#, false), (#""iss":null"#, false), (#""sub":"a""#, false),
        ])
    func issuer(member: String, isAccepted: Bool) async throws {
        let rejection = try await rejection(.claims(member), issuer: "https://issuer.test")
        #expect(rejection == (isAccepted ? nil : .invalid(reason: .issuer)))
        #expect(try await self.rejection(.claims(member)) == nil)
    }

    @Test(
        "a token is rejected if its aud does not contain the configured audience",
        arguments: [
            (#""aud":"riders""#, true), (#""aud":["riders"]"#, true), (#""aud":["a","riders"]"#, true),
            (#""aud":[]"#, false), (#""aud":"""#, false), (#""aud":["a"]"#, false), (#""aud":"rider""#, false),
            (#""aud":null"#, false), (#""sub":"riders""#, false),
        ])
    func audience(member: String, isAccepted: Bool) async throws {
        let rejection = try await rejection(.claims(member), audience: "riders")
        #expect(rejection == (isAccepted ? nil : .invalid(reason: .audience)))
        #expect(try await self.rejection(.claims(member)) == nil)
    }

    @Test("an expired token of another issuer or audience is invalid, not expired")
    func expiredOfOtherIssuer() async throws {
        #expect(try await rejection(#"{"exp":1}"#, issuer: "a") == .invalid(reason: .issuer))
        #expect(try await rejection(#"{"exp":1}"#, audience: "a") == .invalid(reason: .audience))
        #expect(try await rejection(#"{"exp":1}"#) == .expired)
    }

    @Test("a token without trips, routes, driver and scopes allows nothing")
    func nothing() async throws {
        for members in ["", #""trips":[],"routes":[],"scope":"","driver":"""#, #""trips":null,"scope":null"#] {
            let claims = try await claims(members)
            #expect(claims.trips == .none && claims.routes == .none && claims.driver == nil && claims.scopes.isEmpty)
            #expect(!claims.allows(trip: "tr_1") && !claims.allows(trip: "*") && !claims.allows(trip: ""))
            #expect(!claims.allows(route: "17") && !claims.has(scope: "fleet") && !claims.has(scope: ""))
        }
    }

    @Test("an asterisk allows all trips or all routes, but is not a wildcard within ids")
    func all() async throws {
        let all = try await claims(#""trips":["tr_1","*"]"#)
        #expect(all.allows(trip: "tr_1") && all.allows(trip: "tr_2") && !all.allows(route: "17"))
        let prefix = try await claims(#""trips":["tr_*"],"routes":["*"]"#)
        #expect(!prefix.allows(trip: "tr_1") && prefix.allows(route: "17"))
    }

    @Test("scopes are separated by spaces")
    func scopes() async throws {
        #expect(try await claims(#""scope":"  fleet   drivers.near ""#).scopes == ["fleet", "drivers.near"])
        #expect(try await claims(#""scope":"fleets""#).has(scope: "fleet") == false)
    }

    @Test("reasons are unique and have up to 60 bytes")
    func reasons() {
        let reasons = TokenRejection.Reason.allCases
        #expect(Set(reasons.map(\.rawValue)).count == reasons.count)
        #expect(reasons.allSatisfy { $0.rawValue.utf8.count <= 60 })
    }
}
