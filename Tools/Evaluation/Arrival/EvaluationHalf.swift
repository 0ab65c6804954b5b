/// Part of the recorded trips or traces: constants are fitted on ``fit`` and checked on ``check``.
package enum EvaluationHalf: String, Sendable, CaseIterable, Codable {
    case fit, check, all

    /// Returns the half of a trip by a hash of its id, the same on every run and machine.
    package static func of(tripID: String) -> EvaluationHalf {
        let hash = hash(of: tripID)
        return (hash ^ hash >> 16) & 1 == 0 ? .fit : .check
    }

    /// Whether a trace belongs to the half, by a hash of its name.
    func contains(trace: String) -> Bool { self == .all || (Self.hash(of: trace) & 1 == 0) == (self == .fit) }

    /// Returns the FNV-1a hash with the high half folded in, because the low bits depend mostly on the last bytes.
    private static func hash(of text: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash ^ hash >> 32
    }

    package func includes(_ half: EvaluationHalf) -> Bool { self == .all || self == half }
}
