/// A request that is to be delivered.
package struct PushJob: Sendable {
    package let request: PushRequest
    /// When the first answer came that asks to try again.
    private var postponedAt: ContinuousClock.Instant?
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
        let now = ContinuousClock.now
        let since = postponedAt ?? now
        postponedAt = since
        let next = now + max(wait, policy.wait(afterAttempt: attempts))
        guard next <= since + policy.longestHold else {
            result = .abandoned(reason: "\(reason), and the next attempt would come too late")
            return
        }
        notBefore = next
    }
}
