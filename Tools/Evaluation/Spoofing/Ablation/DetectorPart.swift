import Domain

/// A rule of the judge, or one of its thresholds, and how the judge does without it.
package struct DetectorPart: Sendable {
    /// The rule, and the threshold where it is one alone; with the value that does without it where that is not plain.
    package let name: String
    let leaveOut: @Sendable (inout TrackingSettings) -> Void

    init(_ name: String, _ leaveOut: @escaping @Sendable (inout TrackingSettings) -> Void) {
        self.name = name
        self.leaveOut = leaveOut
    }

    package static let all = device + fields + jumps + speeds + steps + shared + risks

    /// A limit that nothing reaches.
    static let never = Double.greatestFiniteMagnitude
    /// Changes that are never overdue, as a habit counts to fewer than 32.
    static let neverOverdue = OverdueLimits(evidenceThreshold: 30.9, warnThreshold: 31)
}
