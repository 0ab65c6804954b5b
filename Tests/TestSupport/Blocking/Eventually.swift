import Foundation

/// Error of a condition that did not hold before its timeout.
package struct NotInTime: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until `condition` holds, checking it every 30 ms.
///
/// Blocks its thread, so the test needs the trait `.blocking`.
///
/// - Parameters:
///   - description: the condition in words, for the error, for example "the worker is ready".
///   - seconds: timeout against hangs, long enough for a busy machine.
///   - condition: checked again until it is true.
/// - Throws: ``NotInTime`` if the condition does not hold in time; rethrows errors of `condition`.
package func eventually(
    _ description: @autoclosure () -> String, within seconds: Double = 120, _ condition: () async throws -> Bool
) async throws {
    guard BlockingThreads.areInUse else {
        throw NotInTime(
            description: "Cannot wait until \(description()): give the test or its suite the trait .blocking.")
    }
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw NotInTime(description: "Not within \(Int(seconds)) s: \(description()).")
        }
        // Task.sleep would resume on the concurrency pool, which tests that compute may occupy for long.
        usleep(30_000)
    }
}
