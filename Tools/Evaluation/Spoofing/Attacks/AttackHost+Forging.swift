import Domain
import Simulation

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
