import Foundation
import Synchronization

/// Ends the process of the tests when one of them hangs, and names it.
///
/// A time limit reports a test that blocks its thread for ever, but cannot end it: the run would hang with it.
final class TestWatchdog: Sendable {
    static let shared = TestWatchdog()

    /// Twice the longest time limit of a suite, so that a test that is merely slow is reported by that.
    private static let limit = Duration.seconds(20 * 60)

    private struct State {
        var isWatching = false
        var running: [UUID: (name: String, began: ContinuousClock.Instant)] = [:]
    }

    private let state = Mutex(State())

    /// Runs one test under the watch.
    func watch(_ name: String, _ body: () async throws -> Void) async throws {
        let key = UUID()
        let isFirst = state.withLock { state in
            defer { state.isWatching = true }
            state.running[key] = (name, .now)
            return !state.isWatching
        }
        if isFirst { Thread.detachNewThread { [self] in endHangs() } }
        defer { state.withLock { $0.running[key] = nil } }
        try await body()
    }

    private func endHangs() {
        while true {
            Thread.sleep(forTimeInterval: 10)
            let hanging = state.withLock { state in
                state.running.values.filter { $0.began.duration(to: .now) > Self.limit }.map(\.name)
            }
            guard !hanging.isEmpty else { continue }
            let line = "These tests have hung for \(Self.limit); the run ends: \(hanging.sorted())\n"
            FileHandle.standardError.write(Data(line.utf8))
            // With a backtrace of all threads, where SWIFT_BACKTRACE asks for it; deploy/test does.
            abort()
        }
    }
}
