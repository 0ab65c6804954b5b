/// What became of a fix.
///
/// Every readable fix gets exactly one.
package enum Verdict: UInt8, Sendable, CaseIterable {
    /// Moves the live position.
    case accepted
    /// Arrived after a later one: kept in history, moves nothing.
    case late
    /// Seen before, with the same content.
    case duplicate
    /// Beyond the driver's rate. Judged and with an estimate where it is beyond the rate off a trip only; beyond the rate
    /// on a trip it is not judged and moves nothing.
    case throttled
    /// Not believed; ``Reasons`` say why. Kept in history.
    case rejected

    /// As on the wire.
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
