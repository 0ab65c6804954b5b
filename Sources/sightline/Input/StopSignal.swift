import Foundation
import Recordings
import Synchronization

/// How often the process was asked to stop; what a signal handler may touch is an atomic and nothing else.
private let stopRequests = Atomic<Int>(0)

/// Turns Ctrl-C and SIGTERM into a wish to stop; a second one ends the process at once.
package struct StopSignal {
    /// Wishes up to this one have been answered.
    private var answered = 0

    /// Takes the signals over for the rest of the process.
    package init() {
        // Touched before the handler can run: a global is set up on first use, which a handler must not do.
        _ = stopRequests.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                if stopRequests.add(1, ordering: .relaxed).oldValue > 0 { _exit(130) }
            }
        }
    }

    package var isRaised: Bool { stopRequests.load(ordering: .relaxed) > answered }

    /// A signal for what comes after the wish to stop, as an end in order: it is raised by a later wish alone.
    package var next: StopSignal {
        var next = self
        next.answered = stopRequests.load(ordering: .relaxed)
        return next
    }

    /// - Throws: ``InputError`` once the process was asked to stop, so that what was begun is put away on the way out.
    package func check() throws {
        if isRaised { throw InputError("Stopped before the end.") }
    }

    /// Sleeps for this long, or until the process is asked to stop.
    package func wait(milliseconds: Int) {
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(milliseconds)
        while !isRaised, case let left = clock.now.duration(to: end) / .seconds(1), left > 0 {
            Thread.sleep(forTimeInterval: min(left, 0.1))
        }
    }
}
