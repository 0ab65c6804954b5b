import Domain
import Simulation

/// Fields of a forged fix, except the position.
///
/// Apps that fake a position hard-code "bearing, speed, accuracy, altitude and time interval" (HyperTrack, 2017). The
/// platforms require an accuracy, and altitude, speed and bearing default to 0.
struct FakeFields {
    var accuracyMeters: Double?
    var speedMetersPerSecond: Double?
    var headingDegrees: Double?
    var altitudeMeters: Double?
    var hasZeroAccuracy = false

    /// Draws the constant fields of an app that fakes positions.
    static func app(speed: Double, random: inout RandomSource) -> FakeFields {
        // Constants of sample code and popular apps; the last one stands for a copied fix.
        let accuracies = [1, 3, 5, 10, 20, 0.01, random.uniform(in: 3...15)]
        let altitudes = [0, 0, 1, 3, 10, 50, random.uniform(in: 5...300)]
        var fields = FakeFields()
        fields.accuracyMeters = accuracies[random.index(below: accuracies.count)]
        fields.altitudeMeters = altitudes[random.index(below: altitudes.count)]
        fields.speedMetersPerSecond = speed
        fields.headingDegrees = 0
        return fields
    }

    /// Copies the fields of an honest fix.
    init(of fix: Fix) {
        accuracyMeters = fix.accuracyMeters
        speedMetersPerSecond = fix.speedMetersPerSecond
        headingDegrees = fix.headingDegrees
        altitudeMeters = fix.altitudeMeters
        hasZeroAccuracy = fix.hasZeroAccuracy
    }

    init() {}
}
