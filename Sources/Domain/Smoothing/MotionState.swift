/// Filter state of one vehicle: plain numbers in the precision in which they are stored.
package struct MotionState: Sendable, Equatable {
    /// Estimated position; also the origin of the next step's tangent plane.
    package var coordinate = Coordinate(latitude: 0, longitude: 0)
    package var eastMetersPerSecond: Float = 0
    package var northMetersPerSecond: Float = 0
    package var covariance = Covariance()
    /// Natural logarithm of learned over stated (or assumed) variance of the position.
    package var logNoiseScale: Float = 0
    /// Natural logarithm of learned over assumed variance of the reported velocity.
    package var logVelocityNoiseScale: Float = 0
    /// Last course, degrees clockwise from north; negative before the first movement.
    package var headingDegrees: Float = -1
    package var lasting = LastingError()
    package var halt = Halt()
    /// Whether the filter has started; declared here to use the padding byte after ``halt``.
    package var isStarted = false
    package var rejects = Rejects()
    /// Reports of standstill contradicted by positions, since the last reported driving speed.
    package var refutations: UInt8 = 0

    /// Upper triangle of the symmetric 4×4 covariance of [east, north, vEast, vNorth]: m², m²/s, m²/s².
    package struct Covariance: Sendable, Equatable, BitwiseCopyable {
        package var ee: Float = 0
        package var en: Float = 0
        package var eu: Float = 0
        package var ev: Float = 0
        package var nn: Float = 0
        package var nu: Float = 0
        package var nv: Float = 0
        package var uu: Float = 0
        package var uv: Float = 0
        package var vv: Float = 0
    }

    /// Alternative track: consecutive fixes that do not fit the current track.
    package struct Rejects: Sendable, Equatable {
        package var last = GridPoint()
        /// Velocity at the last fix, in cm/s: the reported velocity, or the velocity of the step to the fix.
        package var eastCentimetersPerSecond: Int16 = 0
        package var northCentimetersPerSecond: Int16 = 0
        /// Consecutive fixes beyond the gate, or agreeing with such a fix; saturates.
        package var count: UInt8 = 0
        /// Consecutive fixes whose steps agree with their velocities, including the first; saturates.
        package var agreeing: UInt8 = 0
        /// Tenths of seconds from the first to the last agreeing fix; saturates.
        package var tenths: UInt8 = 0

        /// Whether the last fix fitted the track.
        @inline(__always) var isEmpty: Bool { count == 0 && agreeing == 0 }
    }

    /// Position at which the vehicle seems to stand.
    package struct Halt: Sendable, Equatable {
        package var anchor = GridPoint()
        /// Seconds near the anchor; saturates at an hour.
        package var seconds: Float = 0
        /// Recent mean of the fixes, in metres from the anchor.
        package var recentEastMeters: Float = 0
        package var recentNorthMeters: Float = 0
        /// Fixes near the anchor; saturates.
        package var fixes: UInt8 = 0
        package var isHalted = false
        /// ``strays`` in the six lowest bits, ``isLeap`` and ``hasLeapt`` in the two highest bits.
        package var strayBits: UInt8 = 0
    }
}

extension MotionState.Halt {
    /// Consecutive fixes ignored because they were away from the anchor; up to 63.
    package var strays: UInt8 {
        @inline(__always) get { strayBits & 0x3f }
        @inline(__always) set { strayBits = strayBits & 0xc0 | min(newValue, 0x3f) }
    }

    /// Whether the first of the ``strays`` was out of the vehicle's reach.
    package var isLeap: Bool {
        @inline(__always) get { strayBits & 0x40 != 0 }
        @inline(__always) set { strayBits = strayBits & 0xbf | (newValue ? 0x40 : 0) }
    }

    /// Whether the vehicle came to the anchor by a leap.
    package var hasLeapt: Bool {
        @inline(__always) get { strayBits & 0x80 != 0 }
        @inline(__always) set { strayBits = strayBits & 0x7f | (newValue ? 0x80 : 0) }
    }
}

extension MotionState {
    /// Common part of the residuals (fix minus estimate) of about the last half minute, in 8 bytes.
    package struct LastingError: Sendable, Equatable {
        /// Variance of the lasting error per axis, m², from 0 to ``greatestVariance``.
        package var variance: Float = 0
        /// Recent mean of the residuals, in 1/128 m.
        package var meanEast: Int16 = 0
        package var meanNorth: Int16 = 0

        /// Limit of residuals and their mean, in metres.
        static let limitMeters = 255.0
        static let greatestVariance: Float = 65_536
        private static let unitsPerMeter = 128.0

        /// Limits a residual, in metres; NaN gives the limit.
        @inline(__always) static func bounded(_ meters: Double) -> Double {
            meters < limitMeters ? (meters > -limitMeters ? meters : -limitMeters) : limitMeters
        }

        var meanEastMeters: Double {
            @inline(__always) get { Double(meanEast) / Self.unitsPerMeter }
            @inline(__always) set { meanEast = Int16((Self.bounded(newValue) * Self.unitsPerMeter).rounded()) }
        }

        var meanNorthMeters: Double {
            @inline(__always) get { Double(meanNorth) / Self.unitsPerMeter }
            @inline(__always) set { meanNorth = Int16((Self.bounded(newValue) * Self.unitsPerMeter).rounded()) }
        }

        /// Resets the mean of the residuals after a restart; keeps the variance.
        mutating func forgetResidual() { (meanEast, meanNorth) = (0, 0) }
    }
}
