import Glibc

/// Reproducible source of random numbers: xoshiro256++ (Blackman and Vigna, 2019), seeded by SplitMix64.
///
/// Implemented here, because the same seed must give the same numbers with every compiler and on every platform.
package struct RandomSource: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)
    /// The second value of a pair that ``normal()`` has drawn.
    private var spareNormal: Double?

    package init(seed: UInt64) {
        var mixer = seed
        state = (Self.mix(&mixer), Self.mix(&mixer), Self.mix(&mixer), Self.mix(&mixer))
    }

    /// Creates an independent source per `index` and `purpose`, so that adding a driver does not change
    /// the numbers of other drivers.
    package init(seed: UInt64, index: UInt64, purpose: UInt64) {
        var mixer = seed ^ (index &* 0xd134_2543_de82_ef95) ^ (purpose &* 0xaf25_1af3_b0f0_25b5)
        self.init(seed: Self.mix(&mixer))
    }

    package mutating func next() -> UInt64 {
        let sum = state.0 &+ state.3
        let result = ((sum << 23) | (sum >> 41)) &+ state.0
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = (state.3 << 45) | (state.3 >> 19)
        return result
    }

    /// Draws a uniform number in [0, 1), with 53 random bits.
    package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    package mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + uniform() * (range.upperBound - range.lowerBound)
    }

    /// Draws a whole number in 0..<`bound`; the bias of at most `bound` / 2⁶⁴ is negligible.
    package mutating func index(below bound: Int) -> Int {
        precondition(bound > 0, "index(below:) requires a positive bound.")
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    /// Returns `true` with this probability.
    package mutating func chance(_ probability: Double) -> Bool { uniform() < probability }

    /// Draws a normally distributed number with mean 0 and standard deviation 1 (Box and Muller, 1958).
    package mutating func normal() -> Double {
        if let spare = spareNormal {
            spareNormal = nil
            return spare
        }
        let radius = (-2 * log(1 - uniform())).squareRoot()
        let angle = 2 * Double.pi * uniform()
        spareNormal = radius * sin(angle)
        return radius * cos(angle)
    }

    /// Draws an exponentially distributed number with this mean.
    package mutating func exponential(mean: Double) -> Double { -mean * log(1 - uniform()) }

    /// Draws a log-normally distributed number; `spread` is the standard deviation of its logarithm.
    package mutating func logNormal(median: Double, spread: Double) -> Double { median * exp(spread * normal()) }

    /// Draws from Student's t distribution with `degrees` degrees of freedom, which has heavy tails.
    package mutating func studentT(degrees: Int) -> Double {
        var sumOfSquares = 0.0
        for _ in 0..<degrees {
            let value = normal()
            sumOfSquares += value * value
        }
        return normal() / max(1e-9, (sumOfSquares / Double(degrees)).squareRoot())
    }

    /// Advances SplitMix64 (Steele, Lea and Flood, 2014) by one step and returns its output.
    private static func mix(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
