import Notifications

/// A request that is to be delivered.
package struct PushJob: Sendable {
    package let request: PushRequest
    /// Answers so far that ask to try again.
    package private(set) var attempts = 0
    /// Not to be tried before.
    private(set) var notBefore = ContinuousClock.now
    package private(set) var result: Result?

    package init(_ request: PushRequest) { self.request = request }

    /// How a delivery ended.
    package enum Result: Sendable, Equatable {
        case delivered
        case unregistered
        case refused(reason: String)
        /// The service did not take it, however often it was tried.
        case abandoned(reason: String)
    }

    /// Takes in an answer.
    mutating func take(_ outcome: PushOutcome, _ policy: PushRetryPolicy) {
        switch outcome {
        case .delivered: result = .delivered
        case .unregistered: result = .unregistered
        case .refused(let reason): result = .refused(reason: reason)
        case .loginExpired: postpone(.zero, "the login has expired", policy)
        case .later(let seconds, let reason): postpone(.seconds(seconds), reason, policy)
        }
    }

    private mutating func postpone(_ wait: Duration, _ reason: String, _ policy: PushRetryPolicy) {
        attempts += 1
        guard attempts < policy.maximumAttempts else {
            result = .abandoned(reason: reason)
            return
        }
        notBefore = .now + max(wait, policy.wait(afterAttempt: attempts))
    }
}
