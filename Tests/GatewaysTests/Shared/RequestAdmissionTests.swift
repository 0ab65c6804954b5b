import Testing

@testable import Gateways

@Suite("Whose requests count together")
struct RequestAdmissionTests {
    private static func user(_ token: String, subject: String? = nil) -> String {
        RequestAdmission.user(token, TokenClaims(subject: subject, expiresAt: .latest))
    }

    @Test("are those of a subject, and without one those of a token")
    func users() {
        #expect(Self.user("first", subject: "ann") == Self.user("second", subject: "ann"))
        #expect(Self.user("first", subject: "ann") != Self.user("first", subject: "ben"))
        #expect(Self.user("first") == Self.user("first") && Self.user("first") != Self.user("second"))
    }

    @Test("of a subject that is too long to be kept those of its token count")
    func longSubjects() {
        let (kept, long) = (String(repeating: "x", count: 128), String(repeating: "x", count: 129))
        #expect(Self.user("first", subject: kept) == Self.user("second", subject: kept))
        #expect(Self.user("first", subject: long) == Self.user("first"))
    }
}
