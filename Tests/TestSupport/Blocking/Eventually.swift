import Foundation

/// A condition that did not hold in time.
package struct NotInTime: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until `condition` holds, and looks again every 30 ms.
///
/// It blocks its thread, so the test has to be `.blocking`.
///
/// - Parameters:
///   - what: names the condition in the error, e.g. "the worker is ready".
///   - seconds: ends a hang, and says nothing of how long anything should take: on one busy core all is slow.
///   - condition: what is waited for.
/// - Throws: ``NotInTime`` when the condition still does not hold; what `condition` throws.
package func eventually(
    _ what: @autoclosure () -> String, within seconds: Double = 120, _ condition: () async throws -> Bool
) async throws {
    guard BlockingThreads.areInUse else {
        throw NotInTime(
            description: "\(what()) cannot be waited for here: give the test or its suite the trait .blocking.")
    }
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw NotInTime(description: "Not within \(Int(seconds)) s: \(what()).")
        }
        // Not Task.sleep: its timer fires on the concurrency pool, which tests that compute may occupy for long.
        usleep(30_000)
    }
}
