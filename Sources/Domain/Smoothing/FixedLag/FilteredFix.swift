import Support

/// Filter state of a vehicle after one fix, as input for smoothing with later fixes.
package struct FilteredFix: Sendable {
    var coordinate: Coordinate
    var fixedAt: Timestamp
    var eastMetersPerSecond: Float
    var northMetersPerSecond: Float
    var covariance: MotionState.Covariance
    /// Degrees clockwise from north; negative before the first movement.
    var headingDegrees: Float
    /// 68 % radius of the live estimate, in metres.
    var accuracyMeters: Float
    var isHalted: Bool

    /// Creates the input; `fixedAt` is the time of the fix, with the device's clock offset removed.
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
