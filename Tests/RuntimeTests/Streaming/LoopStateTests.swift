import Testing

@testable import Runtime

@Suite("Loop state")
struct LoopStateTests {
    private let start = ContinuousClock.now

    private func state(maintenance: Duration? = .seconds(60)) -> LoopState {
        LoopState(commitInterval: .seconds(1), maintenanceInterval: maintenance, now: start)
    }

    @Test("offsets are committed at once, and then once per interval")
    func commits() {
        var state = state(maintenance: nil)
        #expect(state.dueWork(at: start) == [.commitAndReport])
        #expect(state.dueWork(at: start) == [])
        #expect(state.dueWork(at: start + .milliseconds(999)) == [])
        #expect(state.dueWork(at: start + .milliseconds(1000)) == [.commitAndReport])
        #expect(state.dueWork(at: start + .milliseconds(1001)) == [])
        // Missed commits after a suspension are not repeated.
        #expect(state.dueWork(at: start + .seconds(100)) == [.commitAndReport])
        #expect(state.dueWork(at: start + .seconds(100)) == [])
    }

    @Test("maintenance follows a commit once per interval while the store is available")
    func maintenance() {
        var state = state()
        #expect(state.dueWork(at: start + .milliseconds(59_999)) == [.commitAndReport])
        #expect(state.dueWork(at: start + .seconds(60)) == [])
        #expect(state.dueWork(at: start + .seconds(61)) == [.commitAndReport, .maintain])
        state.storeProblem = "away"
        #expect(state.dueWork(at: start + .seconds(121)) == [.commitAndReport])
        state.storeProblem = nil
        #expect(state.dueWork(at: start + .seconds(122)) == [.commitAndReport, .maintain])
    }

    @Test("the most important problem is the reason for not being ready")
    func readiness() {
        var state = state()
        #expect(state.reasonNotReady == "Waiting for partitions.")
        state.hasJoined = true
        #expect(state.reasonNotReady == nil)
        state.restoreProgress = "restoring"
        #expect(state.reasonNotReady == "restoring")
        state.outputProblem = "no leader"
        #expect(state.reasonNotReady == "no leader")
        state.brokerProblem = "no broker"
        #expect(state.reasonNotReady == "no broker")
        state.storeProblem = "no store"
        #expect(state.reasonNotReady == "no store")
        state.storeProblem = nil
        state.brokerProblem = nil
        #expect(state.reasonNotReady == "no leader")
        state.outputProblem = nil
        state.restoreProgress = nil
        #expect(state.reasonNotReady == nil)
        state.hasJoined = false
        #expect(state.reasonNotReady == "Waiting for partitions.")
        state.hasJoined = true
        state.isStopping = true
        #expect(state.reasonNotReady == "The worker is stopping.")
    }

    @Test(
        "a missing offset restarts the partition at its oldest offset; a higher offset is an error",
        arguments: [
            (0, .restart(at: 100, lost: 0)), (1, .restart(at: 100, lost: 99)), (99, .restart(at: 100, lost: 1)),
            (100, .restart(at: 100, lost: 0)), (101, .reject), (201, .reject),
        ] as [(Int64, MissingOffset)])
    func missingOffset(next: Int64, expected: MissingOffset) {
        #expect(MissingOffset(fetched: next, next: next, low: 100) == expected)
    }

    @Test(
        "after a rewind, only unprocessed records count as lost",
        arguments: [
            (500, 40, .restart(at: 100, lost: 0)), (101, 100, .restart(at: 100, lost: 0)),
            (99, 40, .restart(at: 100, lost: 1)), (0, 40, .restart(at: 100, lost: 0)), (500, 101, .reject),
            // Records 50 to 100 were polled, but not processed.
            (50, 101, .reject),
        ] as [(Int64, Int64, MissingOffset)])
    func rewoundOffset(next: Int64, fetched: Int64, expected: MissingOffset) {
        #expect(MissingOffset(fetched: fetched, next: next, low: 100) == expected)
    }

    @Test("with deduplication by event, a topic that retention has shortened is reread")
    func truncation() {
        let results = [0, 1].map { MissingOffset(fetched: 3, next: 3, low: $0, deduplicatesByEvent: true) }
        #expect(results == [.reject, .reread(from: 1)])
    }

    @Test("a worker that is stopping is not ready for this reason, and still commits")
    func stopping() {
        var state = state()
        state.storeProblem = "no store"
        state.isStopping = true
        #expect(state.reasonNotReady == "The worker is stopping.")
        state.storeProblem = nil
        state.hasJoined = true
        #expect(state.reasonNotReady == "The worker is stopping.")
        #expect(state.dueWork(at: start) == [.commitAndReport])
        #expect(state.dueWork(at: start + .seconds(60)) == [.commitAndReport, .maintain])
    }
}
