/// Which drivers are found by who looks for the nearest ones, by what is held against them.
package enum NearestDrivers: String, Sendable, CaseIterable {
    /// All of them.
    case all
    /// Those who are not ``Reasons/flagged``: a suspicion alone is no proof.
    case unflagged
    /// Those who are neither ``Reasons/flagged`` nor ``Reasons/suspect``.
    case unsuspected

    /// Whether a driver is left out.
    package func leavesOut(isFlagged: Bool, isSuspect: Bool) -> Bool {
        switch self {
        case .all: false
        case .unflagged: isFlagged
        case .unsuspected: isFlagged || isSuspect
        }
    }
}
