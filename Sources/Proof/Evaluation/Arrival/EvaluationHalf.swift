/// Which of the recorded trips a figure is about: constants are fitted on one half and checked on the other.
package enum EvaluationHalf: String, Sendable, CaseIterable, Codable {
    case fit, check, all

    /// The half that a trip belongs to, by a hash of its id: the same on every run and machine.
    package static func of(tripID: String) -> EvaluationHalf {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in tripID.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        // FNV's low bits depend on the last bytes alone: fold the rest in.
        hash ^= hash >> 32
        return (hash ^ hash >> 16) & 1 == 0 ? .fit : .check
    }

    /// Whether a trip of `half` counts.
    package func includes(_ half: EvaluationHalf) -> Bool { self == .all || self == half }
}
