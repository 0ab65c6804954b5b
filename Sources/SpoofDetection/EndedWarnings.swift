import Model

/// Codes of warnings that are over.
struct EndedWarnings {
    /// As bits of ``Reasons``.
    var codes: UInt16
    /// What was warned of last, two bits per code.
    var toldActions: UInt32

    static let none = EndedWarnings(codes: 0, toldActions: 0)

    @inline(__always)
    var isEmpty: Bool { codes == 0 }

    /// One warning per code, each of which says that its code is over.
    var warnings: [LocationWarning] {
        (0..<16).compactMap { index in
            guard codes & 1 << UInt16(index) != 0 else { return nil }
            return LocationWarning(
                reason: Reasons(rawValue: 1 << UInt32(index)), action: .resolved,
                previousAction: LocationWarning.Action(rawValue: UInt8(toldActions >> UInt32(2 * index) & 3)))
        }
    }
}
