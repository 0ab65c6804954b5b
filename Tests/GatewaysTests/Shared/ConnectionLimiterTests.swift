import Synchronization
import Testing

@testable import Gateways
@testable import Support

@Suite("Connection limits of users")
struct ConnectionLimiterTests {
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test("a user may open connections up to the limit, and one more after a release")
    func limit() throws {
        let limiter = ConnectionLimiter(limit: 3, idleTimeout: nil)
        let slots = (0..<3).map { _ in limiter.acquire("ann", at: Self.time(0)) }
        #expect(slots.allSatisfy { $0 != nil })
        #expect(limiter.acquire("ann", at: Self.time(1000)) == nil && limiter.refuses("ann"))
        #expect(!limiter.refuses("ben") && limiter.acquire("ben", at: Self.time(0)) != nil)
        try #require(slots[1]).release()
        try #require(slots[1]).release()
        #expect(limiter.acquire("ann", at: Self.time(0)) != nil && limiter.acquire("ann", at: Self.time(0)) == nil)
    }

    @Test("without a limit, any number of connections is allowed")
    func unlimited() {
        let limiter = ConnectionLimiter(limit: nil, idleTimeout: nil)
        #expect((0..<1000).allSatisfy { _ in limiter.acquire("ann", at: Self.time(0)) != nil })
    }

    @Test("a connection silent for longer than the idle timeout is replaced", arguments: [29, 30, 31])
    func silence(seconds: Int64) throws {
        let limiter = ConnectionLimiter(limit: 2, idleTimeout: .seconds(30))
        let ended = Mutex<[String]>([])
        let first = limiter.acquire("ann", at: Self.time(0)) { ended.withLock { $0.append("first") } }
        _ = limiter.acquire("ann", at: Self.time(1)) { ended.withLock { $0.append("second") } }
        try #require(first).recordActivity(at: Self.time(5))
        let new = limiter.acquire("ann", at: Self.time(1 + seconds))
        #expect((new != nil) == (seconds > 30))
        #expect(ended.withLock { $0 } == (seconds > 30 ? ["second"] : []))
    }

    @Test("connections are counted by subject; tokens without a subject are not limited")
    func users() {
        #expect(UserLimits.userID(of: TokenClaims(expiresAt: .latest)) == nil)
        let users = ["ann", "ben"].map { UserLimits.userID(of: TokenClaims(subject: $0, expiresAt: .latest)) }
        #expect(users[0] != nil && users[0] != users[1])
        let long = ["x", "y"].map { TokenClaims(subject: String(repeating: $0, count: 200), expiresAt: .latest) }
        #expect(UserLimits.userID(of: long[0]) != UserLimits.userID(of: long[1]))
    }
}
