extension DriverState {
    /// Common speed or length of a run of equal steps, modulo 0.5 m/s or 0.5 m; see ``EqualStepsRule``.
    struct EqualRun: Sendable, Equatable, BitwiseCopyable {
        /// Reference (10 bits, 1 to 1000; 0 without a run), whether it is a length (1 bit), drift (5 bits).
        private(set) var bits: UInt16 = 0

        /// Units of the reference per metre, or per m/s.
        private static let unitsPerMeter = 2000.0
        static let modulus = 0.5
        /// Units of the drift per metre.
        private static let driftUnitsPerMeter = 500.0
        static let greatestDriftMeters = 0.03

        init() {}

        /// Starts a run with a step of this length or speed.
        @inline(__always) init(reference: Double, isLength: Bool) { set(reference, isLength: isLength, driftMeters: 0) }

        @inline(__always) var isKnown: Bool { bits != 0 }

        /// Whether steps are compared by length, not by speed.
        @inline(__always) var isLength: Bool { bits & 0x400 != 0 }

        /// Distance beyond the reference since the last unequal step, in metres.
        @inline(__always) var driftMeters: Double { Double(Int16(bitPattern: bits) >> 11) / Self.driftUnitsPerMeter }

        @inline(__always) private var reference: Double { (Double(bits & 0x3ff) - 1) / Self.unitsPerMeter }

        /// Returns the difference of a speed or length from the reference, modulo ``modulus``.
        @inline(__always) func difference(of value: Double) -> Double {
            let difference = value - reference
            return difference - Double(Int64((difference / Self.modulus).halfAwayFromZero)) * Self.modulus
        }

        /// Moves the reference by `change`, in its unit, and sets the drift.
        mutating func move(by change: Double, driftMeters: Double) {
            set(reference + change, isLength: isLength, driftMeters: driftMeters)
        }

        @inline(__always) mutating func endDrift() { bits &= 0x7ff }

        private mutating func set(_ reference: Double, isLength: Bool, driftMeters: Double) {
            // A reference near 0 may have become negative.
            let positive = reference + Self.modulus
            let remainder = positive - Double(Int64(positive / Self.modulus)) * Self.modulus
            let units = UInt16(max(0, min(1000, (remainder * Self.unitsPerMeter).halfAwayFromZero))) % 1000
            let drift = Int16(max(-15, min(15, (driftMeters * Self.driftUnitsPerMeter).halfAwayFromZero)))
            bits = (units + 1) | (isLength ? 0x400 : 0) | UInt16(bitPattern: drift << 11)
        }
    }
}

extension DriverState.Steps {
    /// Longest run that ``side`` can store, in half-seconds.
    static let longestRun: UInt8 = 63

    /// Side to which the last step turned: 0 unknown, 1 left, 2 right.
    @inline(__always) var swerveSide: UInt8 {
        get { side & 3 }
        set { side = side & ~3 | newValue & 3 }
    }

    /// Duration of equal steps in half-seconds, minus a deduction for unequal steps.
    @inline(__always) var equalHalfSeconds: UInt8 {
        get { side >> 2 }
        set { side = side & 3 | min(newValue, Self.longestRun) << 2 }
    }
}
