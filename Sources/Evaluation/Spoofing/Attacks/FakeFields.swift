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
    /// A forged fix in place of the host's fix `index`: its fields are there only where the host's trace has such, and
    /// all numbers have the host's precision.
    func forge(
        _ index: Int, at coordinate: Coordinate, _ fields: FakeFields, random: inout RandomSource
    ) -> ForgedFix {
        var fix = trace.fixes[index]
        fix.coordinate = Coordinate(latitude: onGrid(coordinate.latitude), longitude: onGrid(coordinate.longitude))
        fix.accuracyMeters = fields.accuracyMeters
        fix.hasZeroAccuracy = fields.hasZeroAccuracy
        fix.speedMetersPerSecond = fields.speedMetersPerSecond.map { ($0 * 100).rounded() / 100 }
        fix.headingDegrees = fields.headingDegrees.map { Geodesy.normalizedHeading(($0 * 10).rounded() / 10) }
        fix.altitudeMeters = fields.altitudeMeters.map { ($0 * 10).rounded() / 10 }
        fix.contentHash = random.next()
        return ForgedFix(fix: masked(fix), receivedAt: trace.receivedAt[index])
    }

    /// `fix` without what the host's app never sends.
    func masked(_ fix: Fix) -> Fix {
        var fix = fix
        if !hasAccuracy { fix.accuracyMeters = nil }
        if !hasSpeed { fix.speedMetersPerSecond = nil }
        if !hasHeading { fix.headingDegrees = nil }
        if !hasAltitude { fix.altitudeMeters = nil }
        return fix
    }

    private func onGrid(_ degrees: Double) -> Double { (degrees * gridPerDegree).rounded() / gridPerDegree }
}

/// The fields of honest fixes in their order, for a forger who copies them: forwards and back through the lead of an
/// attack, the altitude going on from the last honest one.
struct CopiedFields {
    private let fixes: ArraySlice<Fix>
    private let altitudeShift: Double
    private var index: Int
    private var step = 1

    init(before site: AttackSite, random: inout RandomSource) {
        let end = site.range.lowerBound
        let lead = site.host.trace.fixes[max(site.host.stretchStart[end], end - 300)..<end]
        let start = lead.startIndex + random.index(below: lead.count)
        if let last = lead.last?.altitudeMeters, let first = lead[start].altitudeMeters {
            altitudeShift = last - first
        } else {
            altitudeShift = 0
        }
        fixes = lead
        index = start
    }

    mutating func next() -> FakeFields {
        var fields = FakeFields(of: fixes[index])
        fields.altitudeMeters = fields.altitudeMeters.map { $0 + altitudeShift }
        if !fixes.indices.contains(index + step) { step = -step }
        if fixes.indices.contains(index + step) { index += step }
        return fields
    }
}
