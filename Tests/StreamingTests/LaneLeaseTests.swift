import Testing

@testable import Streaming

@Suite("How long lanes are taken for one's own without a look")
struct LaneLeaseTests {
    private let start = ContinuousClock.now

    @Test(
        "a pause of more than a session ends it, one of a session or less does not",
        arguments: [(9_999, true), (10_000, true), (10_001, false)])
    func boundary(pauseMilliseconds: Int, isKept: Bool) {
        var lease = LaneLease(sessionTimeout: .seconds(10), now: start)
        let found = lease.isKept(at: start + .milliseconds(pauseMilliseconds))
        #expect(found == isKept)
    }

    @Test("every look begins it again, also one that finds it ended")
    func looks() {
        var lease = LaneLease(sessionTimeout: .seconds(10), now: start)
        let found = [8, 16, 24, 44, 45].map { second in lease.isKept(at: start + .seconds(second)) }
        #expect(found == [true, true, true, false, true])
    }

    @Test("work that writes nothing may take as long as it likes")
    func renewed() {
        var lease = LaneLease(sessionTimeout: .seconds(10), now: start)
        lease.renew(at: start + .seconds(600))
        let found = [610, 621].map { second in lease.isKept(at: start + .seconds(second)) }
        #expect(found == [true, false])
    }
}
