/// Step between two fixes that continue the track, with the reported speed and heading.
struct TrackStep {
    /// Difference from the previous step continued at constant velocity.
    struct Change {
        var meters: Double
        var isLeft: Bool
    }

    /// Metres per stored unit, so that ten seconds at 200 km/h fit into 16 bits.
    static let unitMeters = 0.02
    /// Maximum ratio of the durations of two steps that are compared.
    private static let comparableRatio = 3.0

    let east: Double
    let north: Double
    let meters: Double
    let seconds: Double
    /// Reported speed, in m/s.
    let speed: Double?
    /// Reported direction; `nil` if missing or if the speed is too low for a reliable heading.
    let heading: Direction?
    /// Whether there is a previous step in ``DriverState/Steps``.
    let hasPrevious: Bool
    /// Change from the previous step; `nil` without a comparable previous step.
    let change: Change?

    /// Creates the step to the fix of `context`, whose duration must not be 0.
    @inline(__always) init(_ context: FixContext, _ settings: TrackingSettings) {
        let motion = context.motion
        let before = context.driver.steps
        east = motion.east
        north = motion.north
        meters = motion.distanceMeters
        seconds = motion.seconds
        speed = context.fix.speedMetersPerSecond
        var direction: Direction?
        if let degrees = context.fix.headingDegrees, let speed,
            speed >= settings.smoothing.minimumSpeedForHeadingMetersPerSecond
        {
            direction = Direction(headingDegrees: degrees)
        }
        heading = direction
        hasPrevious = before.milliseconds > 0
        change = hasPrevious ? Self.change(motion, from: before) : nil
    }

    @inline(__always) private static func change(_ motion: Motion, from before: DriverState.Steps) -> Change? {
        let ratio = motion.seconds / before.seconds
        guard ratio <= comparableRatio, ratio * comparableRatio >= 1 else { return nil }
        let lastEast = Double(before.east) * unitMeters
        let lastNorth = Double(before.north) * unitMeters
        // Timestamp jitter makes equal intervals uneven, so the smaller change counts.
        let scaled = Motion.length(motion.east - lastEast * ratio, motion.north - lastNorth * ratio)
        let plain = Motion.length(motion.east - lastEast, motion.north - lastNorth)
        return Change(meters: min(scaled, plain), isLeft: motion.east * lastNorth < motion.north * lastEast)
    }
}
