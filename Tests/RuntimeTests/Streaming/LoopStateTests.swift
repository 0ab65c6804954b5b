import Testing

@testable import Kafka
@testable import Runtime

@Suite("What a worker's loop decides")
struct LoopStateTests {
    private let start = ContinuousClock.now

    private func state(maintenance: Duration? = .seconds(60)) -> LoopState {
        LoopState(commitInterval: .seconds(1), maintenanceInterval: maintenance, now: start)
    }

    @Test("offsets are committed at once, and then once per interval: just below, at and above it")
    func commits() {
        var state = state(maintenance: nil)
        #expect(state.take(.time(start)) == [.commitAndReport])
        #expect(state.take(.time(start)) == [])
        #expect(state.take(.time(start + .milliseconds(999))) == [])
        #expect(state.take(.time(start + .milliseconds(1000))) == [.commitAndReport])
        #expect(state.take(.time(start + .milliseconds(1001))) == [])
        // A pause of the process is not made up for.
        #expect(state.take(.time(start + .seconds(100))) == [.commitAndReport])
        #expect(state.take(.time(start + .seconds(100))) == [])
    }

    @Test("maintenance comes with a commit, once per interval, and not while the store is away")
    func maintenance() {
        var state = state()
        #expect(state.take(.time(start + .milliseconds(59_999))) == [.commitAndReport])
        #expect(state.take(.time(start + .seconds(60))) == [])
        #expect(state.take(.time(start + .seconds(61))) == [.commitAndReport, .maintain])
        state.take(.store(trouble: "away"))
        #expect(state.take(.time(start + .seconds(121))) == [.commitAndReport])
        state.take(.store(trouble: nil))
        #expect(state.take(.time(start + .seconds(122))) == [.commitAndReport, .maintain])
    }

    @Test("the reason that needs an operator first is shown, until nothing keeps the worker from being ready")
    func readiness() {
        var state = state()
        #expect(state.reasonNotReady == "The worker waits for partitions.")
        state.take(.assigned)
        #expect(state.reasonNotReady == nil)
        state.take(.restore("restoring"))
        #expect(state.reasonNotReady == "restoring")
        state.take(.outputs(trouble: "no leader"))
        #expect(state.reasonNotReady == "no leader")
        state.take(.broker(trouble: "no broker"))
        #expect(state.reasonNotReady == "no broker")
        state.take(.store(trouble: "no store"))
        #expect(state.reasonNotReady == "no store")
        state.take(.store(trouble: nil))
        state.take(.broker(trouble: nil))
        #expect(state.reasonNotReady == "no leader")
        state.take(.outputs(trouble: nil))
        state.take(.restore(nil))
        #expect(state.reasonNotReady == nil)
        state.take(.rejoining)
        #expect(state.reasonNotReady == "The worker waits for partitions.")
        state.take(.assigned)
        state.take(.stopping)
        #expect(state.reasonNotReady == "The worker is stopping.")
    }

    @Test("an offset below those that are there was deleted by retention; one above them never was")
    func offsets() {
        func answer(_ next: Int64) -> [LoopState.Action] { Self.answer(next, fetched: next) }
        #expect(answer(0) == [.restart(at: 100, lost: 0)], "a first start")
        #expect(answer(1) == [.restart(at: 100, lost: 99)])
        #expect(answer(99) == [.restart(at: 100, lost: 1)])
        #expect(answer(100) == [.restart(at: 100, lost: 0)])
        #expect(answer(101) == [.refuseOffset])
        #expect(answer(201) == [.refuseOffset])
    }

    @Test("what was fetched decides, also where a stage rewinds: records that it had worked on are not lost")
    func rewoundOffsets() {
        #expect(Self.answer(500, fetched: 40) == [.restart(at: 100, lost: 0)])
        #expect(Self.answer(101, fetched: 100) == [.restart(at: 100, lost: 0)])
        #expect(Self.answer(99, fetched: 40) == [.restart(at: 100, lost: 1)])
        #expect(Self.answer(0, fetched: 40) == [.restart(at: 100, lost: 0)])
        #expect(Self.answer(500, fetched: 101) == [.refuseOffset])
        #expect(Self.answer(50, fetched: 101) == [.refuseOffset], "records polled ahead")
    }

    private static func answer(_ next: Int64, fetched: Int64) -> [LoopState.Action] {
        var state = LoopState(commitInterval: .seconds(1), maintenanceInterval: nil, now: .now)
        return state.take(.offsetMissing(fetched: fetched, next: next, low: 100))
    }

    @Test("an error of the consumer is retried, ends the worker, or has the offset looked up")
    func errors() {
        var state = state()
        func answer(_ code: KafkaError.Code, isFatal: Bool = false, isHeld: Bool = true) -> [LoopState.Action] {
            state.take(.consumerError(KafkaError(code, "", isFatal: isFatal), isHeld: isHeld))
        }
        #expect(answer(.unreachable) == [.retry])
        #expect(answer(.access) == [.retry])
        #expect(answer(.fenced, isFatal: true) == [.fail])
        #expect(answer(.offsetOutOfRange) == [.lookUpOffsets])
        #expect(answer(.offsetOutOfRange, isHeld: false) == [], "the partition went to another process meanwhile")
    }

    @Test("the order in which troubles come does not matter to the reason that is shown, nor that in which they end")
    func order() {
        let troubles: [(begin: LoopState.Event, end: LoopState.Event, reason: String)] = [
            (.store(trouble: "no store"), .store(trouble: nil), "no store"),
            (.broker(trouble: "no broker"), .broker(trouble: nil), "no broker"),
            (.restore("restoring"), .restore(nil), "restoring"),
            (.rejoining, .assigned, "The worker waits for partitions."),
        ]
        for begins in Self.orders(of: troubles.count) {
            for ends in Self.orders(of: troubles.count) {
                var state = state()
                state.take(.assigned)
                var current: Set<Int> = []
                for index in begins {
                    state.take(troubles[index].begin)
                    current.insert(index)
                    #expect(state.reasonNotReady == current.min().map { troubles[$0].reason })
                }
                for index in ends {
                    state.take(troubles[index].end)
                    current.remove(index)
                    #expect(state.reasonNotReady == current.min().map { troubles[$0].reason })
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

    @Test("trouble that is told again takes the place of what was told before, and an end without trouble is no event")
    func repeated() {
        var state = state()
        state.take(.assigned)
        state.take(.store(trouble: nil))
        state.take(.broker(trouble: nil))
        state.take(.restore(nil))
        #expect(state.reasonNotReady == nil)
        state.take(.restore("1 of 2"))
        state.take(.restore("2 of 2"))
        #expect(state.reasonNotReady == "2 of 2")
        state.take(.restore(nil))
        state.take(.assigned)
        #expect(state.reasonNotReady == nil)
    }

    @Test("a worker that stops says so whatever comes after, and still commits and answers errors until it ends")
    func stopping() {
        var state = state()
        state.take(.store(trouble: "no store"))
        state.take(.stopping)
        let later: [LoopState.Event] = [
            .assigned, .rejoining, .stopping, .store(trouble: "no store"), .store(trouble: nil),
            .broker(trouble: "no broker"), .broker(trouble: nil), .restore("restoring"), .restore(nil),
        ]
        for event in later {
            #expect(state.take(event) == [])
            #expect(state.reasonNotReady == "The worker is stopping.")
        }
        #expect(state.take(.time(start)) == [.commitAndReport])
        #expect(state.take(.time(start + .seconds(60))) == [.commitAndReport, .maintain])
        func answer(_ code: KafkaError.Code, isFatal: Bool = false) -> [LoopState.Action] {
            state.take(.consumerError(KafkaError(code, "", isFatal: isFatal), isHeld: true))
        }
        #expect(answer(.unreachable) == [.retry])
        #expect(answer(.fenced, isFatal: true) == [.fail])
        #expect(answer(.offsetOutOfRange) == [.lookUpOffsets])
        #expect(state.take(.offsetMissing(fetched: 1, next: 1, low: 2)) == [.restart(at: 2, lost: 1)])
        #expect(state.take(.offsetMissing(fetched: 3, next: 3, low: 2)) == [.refuseOffset])
        // A topic that retention has deleted from is not a new one.
        let found = [0, 1].map { state.take(.offsetMissing(fetched: 3, next: 3, low: $0, knowsEvents: true)) }
        #expect(found == [[.refuseOffset], [.readAgain(from: 1)]])
        #expect(state.reasonNotReady == "The worker is stopping.")
    }
}
