extension DriverState {
    /// Holds the speed, or the length, that the steps of a run of equal ones have; see ``EqualStepsRule``.
    ///
    /// The reference is stored modulo half a metre, as only differences of centimetres count.
    struct EqualRun: Sendable, Equatable, BitwiseCopyable {
        /// The reference (10 bits, 1 to 1000; 0 without a run), whether it is a length (1 bit), and the drift (5 bits).
        private(set) var bits: UInt16 = 0

        /// Units of the reference per metre, or per m/s.
        private static let unitsPerMeter = 2000.0
        /// The modulus of the reference, in metres or m/s.
        static let modulus = 0.5
        /// Units of the drift per metre.
        private static let driftUnitsPerMeter = 500.0
        /// The largest drift that can be stored, in metres.
        static let greatestDriftMeters = 0.03

        init() {}

        /// A run that begins with a step of this length, or of this speed.
        @inline(__always)
        init(reference: Double, isLength: Bool) { set(reference, isLength: isLength, driftMeters: 0) }

        @inline(__always)
        var isKnown: Bool { bits != 0 }

        /// Whether steps are compared by their lengths and not by their speeds.
        @inline(__always)
        var isLength: Bool { bits & 0x400 != 0 }

        /// Way made beyond the reference since the last step that differed from it, in metres.
        @inline(__always)
        var driftMeters: Double { Double(Int16(bitPattern: bits) >> 11) / Self.driftUnitsPerMeter }

        @inline(__always)
        private var reference: Double { (Double(bits & 0x3ff) - 1) / Self.unitsPerMeter }

        /// Returns how much more a speed or length is than the reference, up to the modulus.
        @inline(__always)
        func difference(of value: Double) -> Double {
            let difference = value - reference
            return difference - Double(Int64((difference / Self.modulus).halfAwayFromZero)) * Self.modulus
        }

        /// Moves the reference by `change`, in its unit, and sets the drift.
        mutating func move(by change: Double, driftMeters: Double) {
            set(reference + change, isLength: isLength, driftMeters: driftMeters)
        }

        /// Forgets the drift, as what comes next does not continue from the last step.
        @inline(__always)
        mutating func endDrift() { bits &= 0x7ff }

        private mutating func set(_ reference: Double, isLength: Bool, driftMeters: Double) {
            // A mean that was near 0 may have moved below it.
            let positive = reference + Self.modulus
            let rest = positive - Double(Int64(positive / Self.modulus)) * Self.modulus
            let units = UInt16(max(0, min(1000, (rest * Self.unitsPerMeter).halfAwayFromZero))) % 1000
            let drift = Int16(max(-15, min(15, (driftMeters * Self.driftUnitsPerMeter).halfAwayFromZero)))
            bits = (units + 1) | (isLength ? 0x400 : 0) | UInt16(bitPattern: drift << 11)
        }
    }
}

extension DriverState.Steps {
    /// The longest time of a run that ``side`` can hold, in half-seconds.
    static let longestRun: UInt8 = 63

    /// The side to which the last step swerved: 0 unknown, 1 left, 2 right.
    @inline(__always)
    var swerveSide: UInt8 {
        get { side & 3 }
        set { side = side & ~3 | newValue & 3 }
    }

    /// Half-seconds for which steps have been equal, less those of steps that were not.
    @inline(__always)
    var equalHalfSeconds: UInt8 {
        get { side >> 2 }
        set { side = side & 3 | min(newValue, Self.longestRun) << 2 }
    }
}
