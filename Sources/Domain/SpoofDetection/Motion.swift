/// Motion from the last accepted fix to the current fix.
struct Motion {
    var isKnown = false
    var distanceMeters = 0.0
    /// Displacement in metres, on a tangent plane at the last accepted fix.
    var east = 0.0
    var north = 0.0
    var seconds = 0.0
    /// Time since the device first reported the last accepted position.
    var secondsAtPlace = 0.0
    /// Whether the vehicle stood at the last accepted position, and the device did not only repeat an old position.
    var wasStanding = false
    /// Time in which the vehicle can have made the displacement.
    @inline(__always) var reachSeconds: Double { wasStanding ? seconds : secondsAtPlace }
    /// Whether the position is repeated bit for bit, though the device does not report standstill.
    var isRepeat = false
    /// Whether the fix is among the first of a session or after a gap, when positions may still settle.
    var isInGrace = true
    /// Whether the gap is too long for habits, relative to the device's usual interval.
    var breaksHabits = true
    /// Whether kinematic signals do not apply: in the grace period or with a coarse accuracy.
    var isExempt = true
    /// How the filter treats a fix that fails its gate.
    var continuity = KinematicFilter.Continuity.unbroken

    var evidence: LocationWarning.Evidence {
        LocationWarning.Evidence(
            distanceMeters: distanceMeters, seconds: seconds,
            speedMetersPerSecond: seconds > 0 ? distanceMeters / seconds : nil)
    }

    @inline(__always)
    static func length(_ east: Double, _ north: Double) -> Double { (east * east + north * north).squareRoot() }
}
