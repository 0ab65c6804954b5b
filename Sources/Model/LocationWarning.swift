/// Something about a driver's fixes that a dispatcher may want to act on; raised when it starts, when its action changes
/// and when it is over.
package struct LocationWarning: Sendable {
    /// What the pipeline did, or asks for.
    package enum Action: UInt8, Sendable, CaseIterable {
        /// Worth knowing only.
        case none
        /// Accepted and marked.
        case flag
        /// The fix was rejected.
        case reject
        /// A case for people: flagged for minutes.
        case review
        /// The code is over: nothing is left to be done.
        case resolved

        /// As on the wire.
        package var code: StaticString {
            switch self {
            case .none: "NONE"
            case .flag: "FLAG"
            case .reject: "REJECT"
            case .review: "REVIEW"
            case .resolved: "RESOLVED"
            }
        }
    }

    /// The numbers behind a warning; those that do not apply are `nil`.
    package struct Evidence: Sendable {
        package var distanceMeters: Double?
        package var seconds: Double?
        package var speedMetersPerSecond: Double?
        package var accuracyMeters: Double?
        /// How many fixes in a row showed it.
        package var fixes: Int?

        package init(
            distanceMeters: Double? = nil, seconds: Double? = nil, speedMetersPerSecond: Double? = nil,
            accuracyMeters: Double? = nil, fixes: Int? = nil
        ) {
            self.distanceMeters = distanceMeters
            self.seconds = seconds
            self.speedMetersPerSecond = speedMetersPerSecond
            self.accuracyMeters = accuracyMeters
            self.fixes = fixes
        }
    }

    /// Exactly one code.
    package var reason: Reasons
    package var action: Action
    package var evidence: Evidence
    /// The action that the code was warned of with before this fix; `nil` where it starts.
    package var previousAction: Action?

    package init(
        reason: Reasons, action: Action, evidence: Evidence = Evidence(), previousAction: Action? = nil
    ) {
        self.reason = reason
        self.action = action
        self.evidence = evidence
        self.previousAction = previousAction
    }
}
