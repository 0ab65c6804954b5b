import Simulation
import Tracking

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

extension AttackHost {
    /// A forged fix in place of the host's fix `index`: its fields are there only where the host's trace has such.
    func forge(
        _ index: Int, at coordinate: Coordinate, _ fields: FakeFields, random: inout RandomSource
    ) -> ForgedFix {
        var fix = trace.fixes[index]
        fix.coordinate = coordinate
        fix.accuracyMeters = hasAccuracy ? fields.accuracyMeters : nil
        fix.hasZeroAccuracy = fields.hasZeroAccuracy
        fix.speedMetersPerSecond = hasSpeed ? fields.speedMetersPerSecond : nil
        fix.headingDegrees = hasHeading ? fields.headingDegrees.map(Geodesy.normalizedHeading) : nil
        fix.altitudeMeters = hasAltitude ? fields.altitudeMeters : nil
        fix.contentHash = random.next()
        return ForgedFix(fix: fix, receivedAt: trace.receivedAt[index])
    }

    /// A fix of the honest lead, whose fields a careful forger copies.
    func sample(before index: Int, random: inout RandomSource) -> Fix {
        let start = max(stretchStart[index], index - 300)
        return trace.fixes[start + random.index(below: index - start)]
    }
}
