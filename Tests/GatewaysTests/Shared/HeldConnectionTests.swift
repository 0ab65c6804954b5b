import Synchronization
import Testing

@testable import Gateways
@testable import Support

@Suite("What a user holds open")
struct HeldConnectionTests {
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test("is as much as allowed, and no more until something is given back")
    func limit() throws {
        let all = HeldConnections(limit: 3, silence: nil)
        let held = (0..<3).map { _ in all.hold("ann", at: Self.time(0)) }
        #expect(held.allSatisfy { $0 != nil })
        #expect(all.hold("ann", at: Self.time(1000)) == nil && all.refuses("ann"))
        #expect(!all.refuses("ben") && all.hold("ben", at: Self.time(0)) != nil)
        try #require(held[1]).release()
        try #require(held[1]).release()
        #expect(all.hold("ann", at: Self.time(0)) != nil && all.hold("ann", at: Self.time(0)) == nil)
    }

    @Test("has no limit where none is set")
    func unlimited() {
        let all = HeldConnections(limit: nil, silence: nil)
        #expect((0..<1000).allSatisfy { _ in all.hold("ann", at: Self.time(0)) != nil })
    }

    @Test("a connection gives way that was silent for longer than a live one can be", arguments: [29, 30, 31])
    func silence(seconds: Int64) throws {
        let all = HeldConnections(limit: 2, silence: .seconds(30))
        let ended = Mutex<[String]>([])
        let first = all.hold("ann", at: Self.time(0)) { ended.withLock { $0.append("first") } }
        _ = all.hold("ann", at: Self.time(1)) { ended.withLock { $0.append("second") } }
        try #require(first).heard(at: Self.time(5))
        let new = all.hold("ann", at: Self.time(1 + seconds))
        #expect((new != nil) == (seconds > 30))
        #expect(ended.withLock { $0 } == (seconds > 30 ? ["second"] : []))
    }

    @Test("is counted by the subject of tokens, and not where they name none: many may open one link")
    func users() {
        #expect(UserLimits.named(TokenClaims(expiresAt: .latest)) == nil)
        let users = ["ann", "ben"].map { UserLimits.named(TokenClaims(subject: $0, expiresAt: .latest)) }
        #expect(users[0] != nil && users[0] != users[1])
        let long = ["x", "y"].map { TokenClaims(subject: String(repeating: $0, count: 200), expiresAt: .latest) }
        #expect(UserLimits.named(long[0]) != UserLimits.named(long[1]))
    }
}
