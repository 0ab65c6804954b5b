/// Outcome of evaluating a fix; every readable fix has exactly one.
package enum Verdict: UInt8, Sendable, CaseIterable {
    /// Updates the live position.
    case accepted
    /// Older than the newest fix: stored only in the history.
    case late
    /// Received before with the same content.
    case duplicate
    /// Over the driver's rate limit. Over the off-trip limit only, it is evaluated and has an estimate; over the on-trip
    /// limit it is neither evaluated nor used.
    case throttled
    /// Not plausible; see ``Reasons``. Stored only in the history.
    case rejected

    /// Wire code.
    package var code: StaticString {
        switch self {
        case .accepted: "accepted"
        case .late: "late"
        case .duplicate: "duplicate"
        case .throttled: "throttled"
        case .rejected: "rejected"
        }
    }
}
