import Model
import Smoothing

/// How a fix connects to the last one believed.
struct Motion {
    /// Whether there is a last one.
    var isKnown = false
    var distanceMeters = 0.0
    /// The way from it, in metres, on a plane around it.
    var east = 0.0
    var north = 0.0
    /// Since the last one believed.
    var seconds = 0.0
    /// Since the device first gave that position.
    var secondsAtPlace = 0.0
    /// Whether the vehicle stood there all that time, rather than the device having nothing new to tell.
    var wasStanding = false
    /// How long it may have been under way.
    @inline(__always)
    var reachSeconds: Double { wasStanding ? seconds : secondsAtPlace }
    /// The same position again, to the last bit, though it did not say that it stands.
    var isRepeat = false
    /// Whether it is one of the first of a session, or after a gap, whose place may still be settling.
    var isInGrace = true
    /// Whether it came after a gap, by how often the device takes a fix: habits say nothing of it.
    var breaksHabits = true
    /// Kinematic signals count nothing.
    var isExcused = true
    /// Whether a fix that does not fit the prediction starts the filter over, even where it is no jump.
    var continuity = KinematicFilter.Continuity.unbroken

    /// The distance and the time, as a warning tells them.
    var evidence: LocationWarning.Evidence {
        LocationWarning.Evidence(
            distanceMeters: distanceMeters, seconds: seconds,
            speedMetersPerSecond: seconds > 0 ? distanceMeters / seconds : nil)
    }

    @inline(__always)
    static func length(_ east: Double, _ north: Double) -> Double { (east * east + north * north).squareRoot() }
}
