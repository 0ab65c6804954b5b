extension DriverState.Window {
    /// A window that begins at the last fix believed.
    @inline(__always)
    init(from live: DriverState.Live) {
        fixes = 1
        hasSpeeds = true
        start = live.point
        startAccuracy = live.accuracy
        at = live.at
    }

    /// Adds a step, with the speed in m/s that was reported at its end.
    @inline(__always)
    mutating func add(_ motion: Motion, speed: Double?) {
        if fixes < .max { fixes += 1 }
        path += motion.distanceMeters
        if let speed {
            reported += speed * motion.seconds
        } else {
            hasSpeeds = false
        }
    }
}
