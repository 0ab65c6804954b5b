import Model

/// What the filter knows of one vehicle: plain numbers, in exactly the precision in which they are stored, so that a
/// filter that continues from a restored state gives the same bits as one that never stopped.
package struct MotionState: Sendable, Equatable {
    /// Estimated position; also the origin of the tangent plane in which the next step is calculated.
    package var coordinate = Coordinate(latitude: 0, longitude: 0)
    /// Estimated velocity, m/s.
    package var eastMetersPerSecond: Float = 0
    package var northMetersPerSecond: Float = 0
    package var covariance = Covariance()
    /// Natural logarithm of learned over stated variance of the position.
    package var logNoiseScale: Float = 0
    /// Natural logarithm of learned over assumed variance of the reported velocity.
    package var logVelocityNoiseScale: Float = 0
    /// The last course, degrees clockwise from north; negative before the vehicle ever moved.
    package var headingDegrees: Float = -1
    package var lasting = LastingError()
    package var halt = Halt()
    /// In the byte that ``halt`` leaves.
    package var isStarted = false
    package var rejects = Rejects()
    /// How often the device said that it stands and was elsewhere, since it last reported a speed.
    package var refutations: UInt8 = 0

    package init() {}

    /// The upper triangle of the symmetric 4×4 covariance of [east, north, vEast, vNorth]: m², m²/s, m²/s².
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

        package init() {}
    }

    /// The second hypothesis: the fixes in a row that do not fit the track, as a track of their own.
    package struct Rejects: Sendable, Equatable {
        package var last = GridPoint()
        /// Velocity at the last of them, in cm/s: the reported one, or that of the step to it.
        package var eastCentimetersPerSecond: Int16 = 0
        package var northCentimetersPerSecond: Int16 = 0
        /// How many of them were beyond the gate, or went on with one that was; saturates.
        package var count: UInt8 = 0
        /// How many of them make a track: their steps are as their velocities say; saturates.
        package var agreeing: UInt8 = 0
        /// Tenths of seconds from the first to the last of those that agree; saturates.
        package var tenths: UInt8 = 0

        package init() {}

        /// Whether the last fix fitted the track.
        @inline(__always)
        var isEmpty: Bool { count == 0 && agreeing == 0 }

        /// Leaves the last of them and how many there are.
        package mutating func forgetTrack() {
            (eastCentimetersPerSecond, northCentimetersPerSecond) = (0, 0)
            (agreeing, tenths) = (0, 0)
        }
    }

    /// Where the vehicle seems to stand.
    package struct Halt: Sendable, Equatable {
        /// Mean of the fixes near by.
        package var anchor = GridPoint()
        /// Seconds near the anchor; saturates at an hour.
        package var seconds: Float = 0
        /// The recent mean of the fixes, in metres from the anchor.
        package var recentEastMeters: Float = 0
        package var recentNorthMeters: Float = 0
        /// Fixes that stayed near the anchor; saturates.
        package var fixes: UInt8 = 0
        package var isHalted = false
        /// ``strays`` in the six lowest bits, ``isLeap`` and ``hasLeapt`` in the others.
        package var strayBits: UInt8 = 0

        package init() {}
    }
}
