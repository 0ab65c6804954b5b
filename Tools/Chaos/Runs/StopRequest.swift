import Foundation
import Synchronization

/// Whether the suite was asked to end; what a signal handler may touch is an atomic and nothing else.
private let stopIsWished = Atomic<Bool>(false)

/// Turns Ctrl-C and SIGTERM into an error of the waiting code, so that workers and copies are put away on the way out.
enum StopRequest {
    /// Takes the signals over for the rest of the process.
    static func listen() {
        // Touched before the handler can run: a global is set up on first use, which a handler must not do.
        _ = stopIsWished.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] { signal(number) { _ in stopIsWished.store(true, ordering: .relaxed) } }
    }

    static var isRaised: Bool { stopIsWished.load(ordering: .relaxed) }

    static func check() throws {
        if isRaised { throw ChaosError("Stopped before the end.") }
    }
}
