import TestSupport
import Testing

@testable import Runtime

@Suite("Noticing that the process was stopped", .blocking)
struct SuspendDetectorTests {
    private let start = ContinuousClock.now
    private let watch: SuspendDetector

    init() { watch = SuspendDetector(sessionTimeout: .seconds(10), now: start) }

    @Test(
        "a pause of more than seven tenths of a session is sleep, one of so long or less is not",
        arguments: [(6_999, false), (7_000, false), (7_001, true)])
    func boundary(pauseMilliseconds: Int, isSleep: Bool) {
        #expect(watch.hasSlept(at: start + .milliseconds(pauseMilliseconds)) == isSleep)
        watch.look(at: start + .milliseconds(pauseMilliseconds))
        #expect(watch.hasSlept(at: start + .milliseconds(pauseMilliseconds)) == isSleep)
    }

    @Test("looks in between make a long time no sleep")
    func looks() {
        for second in stride(from: 5, through: 100, by: 5) { watch.look(at: start + .seconds(second)) }
        #expect(!watch.hasSlept(at: start + .seconds(105)))
    }

    @Test("a sleep is remembered until it is forgotten, however often the clock is looked at meanwhile")
    func remembered() {
        watch.look(at: start + .seconds(30))
        watch.look(at: start + .seconds(31))
        #expect(watch.hasSlept(at: start + .seconds(31)))
        watch.forget(at: start + .seconds(40))
        #expect(!watch.hasSlept(at: start + .seconds(47)))
        #expect(watch.hasSlept(at: start + .seconds(48)))
    }

    @Test("a watch that was begun looks by itself")
    func thread() async throws {
        let watch = SuspendDetector(sessionTimeout: .seconds(1))
        let began = ContinuousClock.now
        watch.begin()
        defer { watch.end() }
        // Again and again, as a loaded machine may keep the thread waiting for as long.
        try await eventually("the watch looks at the clock") {
            began.duration(to: .now) >= watch.limit * 2 && !watch.isLong(until: .now)
        }
    }
}
