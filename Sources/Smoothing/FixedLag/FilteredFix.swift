import Model
import Support

/// What the filter knew of a vehicle after one fix: what smoothing with later fixes begins with.
package struct FilteredFix: Sendable {
    var coordinate: Coordinate
    var fixedAt: Timestamp
    var eastMetersPerSecond: Float
    var northMetersPerSecond: Float
    var covariance: MotionState.Covariance
    /// Degrees clockwise from north; negative before the vehicle ever moved.
    var headingDegrees: Float
    /// The 68 % radius told with the fix, in metres.
    var accuracyMeters: Float
    var isHalted: Bool

    /// - Parameters:
    ///   - motion: the filter after the fix.
    ///   - accuracyMeters: the 68 % radius told with the fix, in metres.
    ///   - fixedAt: when the fix was taken, with the clock's offset removed.
    package init(_ motion: borrowing MotionState, accuracyMeters: Double, fixedAt: Timestamp) {
        coordinate = motion.coordinate
        self.fixedAt = fixedAt
        eastMetersPerSecond = motion.eastMetersPerSecond
        northMetersPerSecond = motion.northMetersPerSecond
        covariance = motion.covariance
        headingDegrees = motion.headingDegrees
        self.accuracyMeters = Float(accuracyMeters)
        isHalted = motion.halt.isHalted
    }
}
