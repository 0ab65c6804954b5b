import Testing

@testable import Runtime

@Suite("How long partitions are held without a poll")
struct PollDeadlineTests {
    private let start = ContinuousClock.now

    @Test("nine tenths of the longest time between polls, just below, at and above")
    func limit() {
        let lease = PollDeadline(maximumPollInterval: .seconds(10), now: start)
        #expect(!lease.hasExpired(at: start + .milliseconds(8999)))
        #expect(!lease.hasExpired(at: start + .milliseconds(9000)))
        #expect(lease.hasExpired(at: start + .milliseconds(9001)))
    }

    @Test("a poll that succeeds renews it, and one that comes too late says so once")
    func renewed() {
        var lease = PollDeadline(maximumPollInterval: .seconds(10), now: start)
        let expired = [9, 18, 28, 29].map { lease.renew(at: start + .seconds($0)) }
        #expect(expired == [false, false, true, false])
    }
}
