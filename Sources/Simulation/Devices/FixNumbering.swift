import Support

/// Numbers the fixes of a device: upward, from 0 again after a restart, or with a counter that wraps.
struct FixNumbering: Sendable {
    private(set) var sequence: Int64
    private let variant: DeviceVariant
    /// Numbers that the counter has; `nil` for one that does not wrap.
    private let modulus: Int64?
    /// Whether fixes around a wrap are lost.
    private let losesWraps: Bool
    private var restartsAt: Timestamp?
    /// Fixes with a lower number are lost, as the app has no network yet.
    private var firstSent: Int64 = 0

    /// Fixes lost on either side of a wrap: more than a numbering may begin with to be taken for a new one.
    static let lostAtWrap: Int64 = 12

    init(variant: DeviceVariant, start: Timestamp, random: inout RandomSource) {
        self.variant = variant
        // The session began before the fleet was looked at.
        sequence = Int64(random.index(below: 3000))
        var modulus: Int64?
        var losesWraps = false
        if variant == .wrappingCounter {
            modulus = random.chance(0.5) ? 256 : 65_536
            losesWraps = random.chance(0.5)
        }
        self.modulus = modulus
        self.losesWraps = losesWraps
        // Soon enough for a wrap to be seen in a run of a minute.
        if let modulus { sequence = modulus - 20 - sequence % 40 }
        if variant == .restartsWithoutSession { restartsAt = Self.nextRestart(after: start, random: &random) }
    }

    /// Returns the number of the fix at `time`.
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

    /// Begins a numbering from 0.
    mutating func begin() { sequence = -1 }

    /// Whether the fix of the last number never arrives.
    var isLost: Bool {
        guard let modulus, losesWraps else { return sequence < firstSent }
        return sequence < Self.lostAtWrap || sequence >= modulus - Self.lostAtWrap
    }

    private static func nextRestart(after time: Timestamp, random: inout RandomSource) -> Timestamp {
        time.advanced(bySeconds: random.uniform(in: 30...240))
    }
}
