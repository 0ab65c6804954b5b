import Tracking

/// What a measurement of spoof detection is to cover.
package struct SpoofingOptions: Sendable {
    /// Which hosts are used: one half is for fitting constants, the other for checking them.
    package enum Half: String, CaseIterable, Sendable, Codable {
        case fit, check, all

        /// By a hash of the trace's id (FNV-1a), so that a recording's traces fall to both sides.
        func holds(_ name: String) -> Bool {
            guard self != .all else { return true }
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            return ((hash ^ hash >> 32) & 1 == 0) == (self == .fit)
        }
    }

    /// Attacks of each kind.
    package var attacks = 200
    package var kinds = AttackKind.allCases
    package var seed: UInt64 = 1
    package var half = Half.all
    /// Simulated driver-hours.
    package var simulatedHours = 0
    /// Whether each attack is judged once more for every signal, with the others silent.
    package var triesSignalsAlone = false
    package var settings = TrackingSettings()

    package init() {}
}
