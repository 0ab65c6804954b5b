import Testing

@testable import Runtime

@Suite("Poll deadline")
struct PollDeadlineTests {
    private let start = ContinuousClock.now

    @Test("the deadline expires after 90 % of the maximum poll interval")
    func limit() {
        let deadline = PollDeadline(maximumPollInterval: .seconds(10), now: start)
        #expect(!deadline.hasExpired(at: start + .milliseconds(8999)))
        #expect(!deadline.hasExpired(at: start + .milliseconds(9000)))
        #expect(deadline.hasExpired(at: start + .milliseconds(9001)))
    }

    @Test("a renewal restarts the deadline, and returns whether it had expired")
    func renewed() {
        var deadline = PollDeadline(maximumPollInterval: .seconds(10), now: start)
        let expired = [9, 18, 28, 29].map { deadline.renew(at: start + .seconds($0)) }
        #expect(expired == [false, false, true, false])
    }
}
