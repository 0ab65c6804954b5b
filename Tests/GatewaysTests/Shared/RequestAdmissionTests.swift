import Testing

@testable import Gateways

@Suite("User keys of rate limits")
struct RequestAdmissionTests {
    private static func user(_ token: String, subject: String? = nil) -> String {
        RequestAdmission.user(token, TokenClaims(subject: subject, expiresAt: .latest))
    }

    @Test("requests are counted by subject, or by token if there is no subject")
    func users() {
        #expect(Self.user("first", subject: "ann") == Self.user("second", subject: "ann"))
        #expect(Self.user("first", subject: "ann") != Self.user("first", subject: "ben"))
        #expect(Self.user("first") == Self.user("first") && Self.user("first") != Self.user("second"))
    }

    @Test("a subject over 128 bytes is ignored, and the token is used")
    func longSubjects() {
        let (kept, long) = (String(repeating: "x", count: 128), String(repeating: "x", count: 129))
        #expect(Self.user("first", subject: kept) == Self.user("second", subject: kept))
        #expect(Self.user("first", subject: long) == Self.user("first"))
    }
}
