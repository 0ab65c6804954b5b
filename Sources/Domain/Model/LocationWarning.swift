/// A warning about a driver's fixes; sent when it starts, when its action changes and when it ends.
package struct LocationWarning: Sendable {
    /// Reaction of the pipeline, or the reaction that it requests from operators.
    package enum Action: UInt8, Sendable, CaseIterable {
        /// For information only.
        case none
        /// The fix was accepted and marked.
        case flag
        case reject
        /// Requests a manual review: the driver has been flagged for ``TrackingSettings/Risk/reviewSeconds``.
        case review
        case resolved

        package static let codes: [StaticString] = ["NONE", "FLAG", "REJECT", "REVIEW", "RESOLVED"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
    }

    /// Measurements behind a warning; `nil` if they do not apply.
    package struct Evidence: Sendable {
        package var distanceMeters: Double?
        package var seconds: Double?
        package var speedMetersPerSecond: Double?
        package var accuracyMeters: Double?
        /// Number of consecutive fixes.
        package var fixes: Int?
    }

    /// Reason of the warning: exactly one code.
    package var reason: Reasons
    package var action: Action
    package var evidence = Evidence()
    /// The action of the warning before this fix; `nil` if the warning starts with this fix.
    package var previousAction: Action?

    /// Placeholder for decoders, which overwrite it.
    package static let blank = LocationWarning(reason: .suspect, action: .none)
}
