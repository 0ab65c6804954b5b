/// Drivers that a search for the nearest drivers includes.
package enum NearestDrivers: String, Sendable, CaseIterable {
    case all
    /// Drivers who are not ``Reasons/flagged``.
    case unflagged
    /// Drivers who are neither ``Reasons/flagged`` nor ``Reasons/suspect``.
    case unsuspected

    package func excludes(isFlagged: Bool, isSuspect: Bool) -> Bool {
        switch self {
        case .all: false
        case .unflagged: isFlagged
        case .unsuspected: isFlagged || isSuspect
        }
    }
}
