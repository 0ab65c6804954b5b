import TestSupport
import Testing

@testable import Runtime

@Suite("Suspend detector", .blocking)
struct SuspendDetectorTests {
    private let start = ContinuousClock.now
    private let detector: SuspendDetector

    init() { detector = SuspendDetector(sessionTimeout: .seconds(10), now: start) }

    @Test(
        "a gap of more than 70 % of the session timeout is a suspension",
        arguments: [(6_999, false), (7_000, false), (7_001, true)])
    func boundary(pauseMilliseconds: Int, isSuspension: Bool) {
        #expect(detector.wasSuspended(at: start + .milliseconds(pauseMilliseconds)) == isSuspension)
        detector.check(at: start + .milliseconds(pauseMilliseconds))
        #expect(detector.wasSuspended(at: start + .milliseconds(pauseMilliseconds)) == isSuspension)
    }

    @Test("regular checks do not count as a suspension")
    func regularChecks() {
        for second in stride(from: 5, through: 100, by: 5) { detector.check(at: start + .seconds(second)) }
        #expect(!detector.wasSuspended(at: start + .seconds(105)))
    }

    @Test("a suspension is reported until the reset")
    func remembered() {
        detector.check(at: start + .seconds(30))
        detector.check(at: start + .seconds(31))
        #expect(detector.wasSuspended(at: start + .seconds(31)))
        detector.reset(at: start + .seconds(40))
        #expect(!detector.wasSuspended(at: start + .seconds(47)))
        #expect(detector.wasSuspended(at: start + .seconds(48)))
    }

    @Test("a started detector checks the clock on its own thread")
    func thread() async throws {
        let detector = SuspendDetector(sessionTimeout: .seconds(1))
        let began = ContinuousClock.now
        detector.begin()
        defer { detector.end() }
        // Repeated, because a busy machine may delay the thread.
        try await eventually("the detector checks the clock") {
            began.duration(to: .now) >= detector.limit * 2 && !detector.isOverdue(at: .now)
        }
    }
}
