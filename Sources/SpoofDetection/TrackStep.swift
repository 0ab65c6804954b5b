import Model

/// A step between two fixes that continue the track, with what the device says of it.
struct TrackStep {
    /// What the step differs by from the one before, going on at the same velocity.
    struct Change {
        var meters: Double
        /// Whether it turns to the left of the one before.
        var isLeft: Bool
    }

    /// Metres per unit of what the state keeps of a step, so that ten seconds at 200 km/h fit into 16 bits.
    static let unitMeters = 0.02
    /// Steps of which one took more than this many times as long as the other are not compared.
    private static let comparableRatio = 3.0

    let east: Double
    let north: Double
    let meters: Double
    let seconds: Double
    /// As the device reports it, in m/s.
    let speed: Double?
    /// Where the device gave one with a speed that makes it count.
    let heading: Direction?
    /// Whether there is a step before, in ``DriverState/Steps``.
    let hasPrevious: Bool
    /// `nil` where there is none before, or one that took another time.
    let change: Change?

    /// The step to the fix of `context`, which comes after `seconds` that are not 0.
    @inline(__always)
    init(_ context: FixContext, _ settings: TrackingSettings) {
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

    @inline(__always)
    private static func change(_ motion: Motion, from before: DriverState.Steps) -> Change? {
        let ratio = motion.seconds / before.seconds
        guard ratio <= comparableRatio, ratio * comparableRatio >= 1 else { return nil }
        let lastEast = Double(before.east) * unitMeters
        let lastNorth = Double(before.north) * unitMeters
        // Stamps that are early or late make intervals uneven that are not: the smaller change counts.
        let scaled = Motion.length(motion.east - lastEast * ratio, motion.north - lastNorth * ratio)
        let plain = Motion.length(motion.east - lastEast, motion.north - lastNorth)
        return Change(meters: min(scaled, plain), isLeft: motion.east * lastNorth < motion.north * lastEast)
    }
}
