import Foundation
import Recordings
import Synchronization

/// The number of stop signals received; atomic, because signal handlers access it.
private let stopRequests = Atomic<Int>(0)

/// A stop request by Ctrl-C or SIGTERM; the second signal exits the process with code 130.
package struct StopSignal {
    /// Number of requests that ``next`` has skipped.
    private var skipped = 0

    /// Installs the signal handlers for the rest of the process.
    package init() {
        // Initializes the global, which a signal handler must not do.
        _ = stopRequests.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                if stopRequests.add(1, ordering: .relaxed).oldValue > 0 { _exit(130) }
            }
        }
    }

    package var isRaised: Bool { stopRequests.load(ordering: .relaxed) > skipped }

    /// A copy that only later requests raise, for work after a stop request.
    package var next: StopSignal {
        var next = self
        next.skipped = stopRequests.load(ordering: .relaxed)
        return next
    }

    /// - Throws: ``InputError`` after a stop request.
    package func check() throws {
        if isRaised { throw InputError("Stopped before completion.") }
    }

    /// Sleeps until the time has passed or a stop is requested.
    package func wait(milliseconds: Int) {
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(milliseconds)
        while !isRaised, case let seconds = clock.now.duration(to: end) / .seconds(1), seconds > 0 {
            Thread.sleep(forTimeInterval: min(seconds, 0.1))
        }
    }
}
