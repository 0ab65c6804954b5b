import Foundation
import Synchronization

/// Watchdog that aborts the test process when a test with the trait `.blocking` hangs.
///
/// A `.timeLimit` reports a test that blocks its thread forever, but cannot end it, so the whole run would hang.
final class TestWatchdog: Sendable {
    static let shared = TestWatchdog()

    /// Twice the longest time limit of a suite, so that time limits report slow tests.
    private static let limit = Duration.seconds(20 * 60)

    private struct State {
        var hasStarted = false
        var running: [UUID: (name: String, start: ContinuousClock.Instant)] = [:]
    }

    private let state = Mutex(State())

    /// Runs one test and registers it while it runs.
    func run(_ name: String, _ body: () async throws -> Void) async throws {
        let key = UUID()
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            state.running[key] = (name, .now)
            return !state.hasStarted
        }
        if isFirst { Thread.detachNewThread { [self] in abortHangs() } }
        defer { state.withLock { $0.running[key] = nil } }
        try await body()
    }

    private func abortHangs() {
        while true {
            Thread.sleep(forTimeInterval: 10)
            let hanging = state.withLock { state in
                state.running.values.filter { $0.start.duration(to: .now) > Self.limit }.map(\.name)
            }
            guard !hanging.isEmpty else { continue }
            let line = "Aborting the test run: these tests have run for more than \(Self.limit): \(hanging.sorted())\n"
            FileHandle.standardError.write(Data(line.utf8))
            // Prints a backtrace of all threads if SWIFT_BACKTRACE is set, as deploy/test does.
            abort()
        }
    }
}
