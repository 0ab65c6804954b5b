import Domain
import Simulation

/// The fields beside the position that a forged fix carries.
///
/// Apps that fake a position hard-code "bearing, speed, accuracy, altitude and time interval" (HyperTrack, 2017); the
/// platforms demand an accuracy of a fake position, and leave altitude, speed and bearing at 0 unless they are set.
struct FakeFields {
    var accuracyMeters: Double?
    var speedMetersPerSecond: Double?
    var headingDegrees: Double?
    var altitudeMeters: Double?
    var hasZeroAccuracy = false

    /// What an app that fakes positions sets: the same for as long as it runs.
    static func app(speed: Double, random: inout RandomSource) -> FakeFields {
        // Constants of sample code and popular apps; the last is the tenth of metres that a copied fix leaves.
        let accuracies = [1, 3, 5, 10, 20, 0.01, random.uniform(in: 3...15)]
        let altitudes = [0, 0, 1, 3, 10, 50, random.uniform(in: 5...300)]
        var fields = FakeFields()
        fields.accuracyMeters = accuracies[random.index(below: accuracies.count)]
        fields.altitudeMeters = altitudes[random.index(below: altitudes.count)]
        fields.speedMetersPerSecond = speed
        fields.headingDegrees = 0
        return fields
    }

    /// Fields of an honest fix.
    init(of fix: Fix) {
        accuracyMeters = fix.accuracyMeters
        speedMetersPerSecond = fix.speedMetersPerSecond
        headingDegrees = fix.headingDegrees
        altitudeMeters = fix.altitudeMeters
        hasZeroAccuracy = fix.hasZeroAccuracy
    }

    init() {}
}
