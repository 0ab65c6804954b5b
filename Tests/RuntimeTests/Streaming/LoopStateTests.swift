import Testing

@testable import Kafka
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
        #expect(state.apply(.time(start)) == [.commitAndReport])
        #expect(state.apply(.time(start)) == [])
        #expect(state.apply(.time(start + .milliseconds(999))) == [])
        #expect(state.apply(.time(start + .milliseconds(1000))) == [.commitAndReport])
        #expect(state.apply(.time(start + .milliseconds(1001))) == [])
        // Missed commits after a suspension are not repeated.
        #expect(state.apply(.time(start + .seconds(100))) == [.commitAndReport])
        #expect(state.apply(.time(start + .seconds(100))) == [])
    }

    @Test("maintenance follows a commit, once per interval, and not while the store is unavailable")
    func maintenance() {
        var state = state()
        #expect(state.apply(.time(start + .milliseconds(59_999))) == [.commitAndReport])
        #expect(state.apply(.time(start + .seconds(60))) == [])
        #expect(state.apply(.time(start + .seconds(61))) == [.commitAndReport, .maintain])
        state.apply(.store(problem: "away"))
        #expect(state.apply(.time(start + .seconds(121))) == [.commitAndReport])
        state.apply(.store(problem: nil))
        #expect(state.apply(.time(start + .seconds(122))) == [.commitAndReport, .maintain])
    }

    @Test("the most important problem is the reason for not being ready")
    func readiness() {
        var state = state()
        #expect(state.reasonNotReady == "Waiting for partitions.")
        state.apply(.assigned)
        #expect(state.reasonNotReady == nil)
        state.apply(.restore("restoring"))
        #expect(state.reasonNotReady == "restoring")
        state.apply(.outputs(problem: "no leader"))
        #expect(state.reasonNotReady == "no leader")
        state.apply(.broker(problem: "no broker"))
        #expect(state.reasonNotReady == "no broker")
        state.apply(.store(problem: "no store"))
        #expect(state.reasonNotReady == "no store")
        state.apply(.store(problem: nil))
        state.apply(.broker(problem: nil))
        #expect(state.reasonNotReady == "no leader")
        state.apply(.outputs(problem: nil))
        state.apply(.restore(nil))
        #expect(state.reasonNotReady == nil)
        state.apply(.rejoining)
        #expect(state.reasonNotReady == "Waiting for partitions.")
        state.apply(.assigned)
        state.apply(.stopping)
        #expect(state.reasonNotReady == "The worker is stopping.")
    }

    @Test("a missing offset below the range restarts the partition, one above it is rejected")
    func offsets() {
        func actions(_ next: Int64) -> [LoopState.Action] { Self.actions(next, fetched: next) }
        #expect(actions(0) == [.restart(at: 100, lost: 0)], "first start")
        #expect(actions(1) == [.restart(at: 100, lost: 99)])
        #expect(actions(99) == [.restart(at: 100, lost: 1)])
        #expect(actions(100) == [.restart(at: 100, lost: 0)])
        #expect(actions(101) == [.rejectOffset])
        #expect(actions(201) == [.rejectOffset])
    }

    @Test("after a rewind, processed records do not count as lost")
    func rewoundOffsets() {
        #expect(Self.actions(500, fetched: 40) == [.restart(at: 100, lost: 0)])
        #expect(Self.actions(101, fetched: 100) == [.restart(at: 100, lost: 0)])
        #expect(Self.actions(99, fetched: 40) == [.restart(at: 100, lost: 1)])
        #expect(Self.actions(0, fetched: 40) == [.restart(at: 100, lost: 0)])
        #expect(Self.actions(500, fetched: 101) == [.rejectOffset])
        #expect(Self.actions(50, fetched: 101) == [.rejectOffset], "records polled ahead")
    }

    private static func actions(_ next: Int64, fetched: Int64) -> [LoopState.Action] {
        var state = LoopState(commitInterval: .seconds(1), maintenanceInterval: nil, now: .now)
        return state.apply(.offsetMissing(fetched: fetched, next: next, low: 100))
    }

    @Test("consumer errors are retried, stop the worker, or cause an offset look-up")
    func errors() {
        var state = state()
        func actions(_ code: KafkaError.Code, isFatal: Bool = false, isAssigned: Bool = true) -> [LoopState.Action] {
            state.apply(.consumerError(KafkaError(code, "", isFatal: isFatal), isAssigned: isAssigned))
        }
        #expect(actions(.unreachable) == [.retry])
        #expect(actions(.access) == [.retry])
        #expect(actions(.fenced, isFatal: true) == [.fail])
        #expect(actions(.offsetOutOfRange) == [.lookUpOffsets])
        #expect(actions(.offsetOutOfRange, isAssigned: false) == [], "the partition is not assigned")
    }

    @Test("the shown problem does not depend on the order of problems")
    func order() {
        let problems: [(begin: LoopState.Event, end: LoopState.Event, reason: String)] = [
            (.store(problem: "no store"), .store(problem: nil), "no store"),
            (.broker(problem: "no broker"), .broker(problem: nil), "no broker"),
            (.restore("restoring"), .restore(nil), "restoring"),
            (.rejoining, .assigned, "Waiting for partitions."),
        ]
        for begins in Self.orders(of: problems.count) {
            for ends in Self.orders(of: problems.count) {
                var state = state()
                state.apply(.assigned)
                var current: Set<Int> = []
                for index in begins {
                    state.apply(problems[index].begin)
                    current.insert(index)
                    #expect(state.reasonNotReady == current.min().map { problems[$0].reason })
                }
                for index in ends {
                    state.apply(problems[index].end)
                    current.remove(index)
                    #expect(state.reasonNotReady == current.min().map { problems[$0].reason })
                }
            }
        }
    }

    private static func orders(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return orders(of: count - 1).flatMap { order in
            (0...order.count).map { place in Array(order[..<place]) + [count - 1] + Array(order[place...]) }
        }
    }

    @Test("a repeated problem replaces the previous one, and an end without a problem has no effect")
    func repeated() {
        var state = state()
        state.apply(.assigned)
        state.apply(.store(problem: nil))
        state.apply(.broker(problem: nil))
        state.apply(.restore(nil))
        #expect(state.reasonNotReady == nil)
        state.apply(.restore("1 of 2"))
        state.apply(.restore("2 of 2"))
        #expect(state.reasonNotReady == "2 of 2")
        state.apply(.restore(nil))
        state.apply(.assigned)
        #expect(state.reasonNotReady == nil)
    }

    @Test("a stopping worker reports that, still commits, and still handles errors")
    func stopping() {
        var state = state()
        state.apply(.store(problem: "no store"))
        state.apply(.stopping)
        let later: [LoopState.Event] = [
            .assigned, .rejoining, .stopping, .store(problem: "no store"), .store(problem: nil),
            .broker(problem: "no broker"), .broker(problem: nil), .restore("restoring"), .restore(nil),
        ]
        for event in later {
            #expect(state.apply(event) == [])
            #expect(state.reasonNotReady == "The worker is stopping.")
        }
        #expect(state.apply(.time(start)) == [.commitAndReport])
        #expect(state.apply(.time(start + .seconds(60))) == [.commitAndReport, .maintain])
        func actions(_ code: KafkaError.Code, isFatal: Bool = false) -> [LoopState.Action] {
            state.apply(.consumerError(KafkaError(code, "", isFatal: isFatal), isAssigned: true))
        }
        #expect(actions(.unreachable) == [.retry])
        #expect(actions(.fenced, isFatal: true) == [.fail])
        #expect(actions(.offsetOutOfRange) == [.lookUpOffsets])
        #expect(state.apply(.offsetMissing(fetched: 1, next: 1, low: 2)) == [.restart(at: 2, lost: 1)])
        #expect(state.apply(.offsetMissing(fetched: 3, next: 3, low: 2)) == [.rejectOffset])
        // A topic with deleted records was not recreated.
        let found = [0, 1].map { state.apply(.offsetMissing(fetched: 3, next: 3, low: $0, deduplicatesByEvent: true)) }
        #expect(found == [[.rejectOffset], [.reread(from: 1)]])
        #expect(state.reasonNotReady == "The worker is stopping.")
    }
}
