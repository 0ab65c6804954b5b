import Support

/// Sequence numbers of a device: increasing, restarting from 0, or wrapping.
struct FixNumbering: Sendable {
    private(set) var sequence: Int64
    private let variant: DeviceVariant
    /// Number of values of the counter; `nil` if it does not wrap.
    private let modulus: Int64?
    /// Whether fixes around a wrap are lost.
    private let losesWraps: Bool
    private var restartsAt: Timestamp?
    /// Lowest number that is sent after a restart; fixes before it are lost, because the app has no network.
    private var firstSent: Int64 = 0

    /// Fixes lost on each side of a wrap, more than spoof detection accepts at the start of a new numbering.
    static let lostAtWrap: Int64 = 12

    init(variant: DeviceVariant, start: Timestamp, random: inout RandomSource) {
        self.variant = variant
        // The session began before the simulation.
        sequence = Int64(random.index(below: 3000))
        let wraps = variant == .wrappingCounter
        modulus = wraps ? random.chance(0.5) ? 256 : 65_536 : nil
        losesWraps = wraps && random.chance(0.5)
        // Close enough to the wrap to reach it within a minute.
        if let modulus { sequence = modulus - 20 - sequence % 40 }
        if variant == .restartsWithoutSession { restartsAt = Self.nextRestart(after: start, random: &random) }
    }

    /// Advances to the next fix, at `time`, and returns its number.
    mutating func next(at time: Timestamp, random: inout RandomSource) -> Int64 {
        if let restartsAt, time >= restartsAt {
            begin()
            firstSent = Int64(random.index(below: 30))
            self.restartsAt = Self.nextRestart(after: time, random: &random)
        }
        sequence += 1
        if let modulus, sequence >= modulus { sequence = 0 }
        return sequence
    }

    /// Starts a new numbering from 0.
    mutating func begin() { sequence = -1 }

    /// Whether the fix with the number ``sequence`` never arrives.
    var isLost: Bool {
        guard let modulus, losesWraps else { return sequence < firstSent }
        return sequence < Self.lostAtWrap || sequence >= modulus - Self.lostAtWrap
    }

    private static func nextRestart(after time: Timestamp, random: inout RandomSource) -> Timestamp {
        time.advanced(bySeconds: random.uniform(in: 30...240))
    }
}
