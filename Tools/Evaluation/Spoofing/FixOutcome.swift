import Domain
import Support

/// What the judge made of one fix.
package struct FixOutcome: Sendable {
    package var at: Timestamp
    package var isRejected: Bool
    package var reasons: Reasons
    /// Reasons of the warnings raised with it.
    package var warned: Reasons
    package var risk: Float

    /// Not believed for a reason that accuses the driver.
    var isAccused: Bool { isRejected && !reasons.isDisjoint(with: Self.accusing) }
    /// Not believed though an honest driver sent it: for an accusing reason, or as the stamp of a wrong clock.
    var isLost: Bool { isRejected && !reasons.isDisjoint(with: Self.losing) }
    var isSuspect: Bool { risk >= 0.7 }
    var isFlagged: Bool { reasons.contains(.flagged) }

    /// Every reason that says something of the driver's honesty; the others are the network's, the clock's or the
    /// sky's.
    package static let accusing = Reasons(
        rawValue: Reasons.all.reduce(0) { $0 | $1.value.rawValue }
    ).subtracting([
        .nullIsland, .clockSkew, .rateLimited, .lowAccuracy, .relocated, .gnssDisturbance, .suspect, .flagged,
    ])

    /// Every reason for which an honest driver's fix is lost to riders.
    static let losing = accusing.union(.clockSkew)

    /// Whether verdict, reasons and warnings are those of `other`, whatever the risk.
    func hasSameAnswer(as other: FixOutcome) -> Bool {
        isRejected == other.isRejected && reasons == other.reasons && warned == other.warned
    }
}
