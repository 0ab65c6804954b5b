/// A heading that contradicts the course.
///
/// Keeps ``DriverState/Steps/contraryRun``.
package struct ContraryHeadingRule: SpoofRule, Equatable {
    /// Per run, in log-odds.
    package var weight = 2.0
    /// A heading contradicts a course from this angle on, in degrees (`domain.md`).
    package var degrees = 60.0 { didSet { cosine = Self.cosine(ofDegrees: degrees) } }
    /// At a reported speed above this, in m/s (`domain.md`).
    package var minimumMetersPerSecond = 3.0
    /// Over so many fixes in a row (`domain.md`).
    package var fixes = 5
    private var cosine = Self.cosine(ofDegrees: 60)

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        var problems: [String] = []
        if !(1...200).contains(fixes) { problems.append("Contrary headings come in runs of 1 to 200.") }
        if !(0...180).contains(degrees) { problems.append("Angles are from 0 to 180 degrees.") }
        return problems
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, let heading = step.heading, let speed = step.speed,
            speed > minimumMetersPerSecond, step.meters > settings.signals.movingStepMeters
        else { return }
        let along = step.east * heading.east + step.north * heading.north
        guard along < cosine * step.meters else {
            context.driver.steps.contraryRun = 0
            return
        }
        let run = min(context.driver.steps.contraryRun, .max - 1) + 1
        context.driver.steps.contraryRun = run
        guard Int(run) >= fixes else { return }
        context.driver.steps.contraryRun = 0
        context.suspect(
            .contraryHeading, weight, settings.risk,
            LocationWarning.Evidence(speedMetersPerSecond: speed, fixes: Int(run)))
    }

    private static func cosine(ofDegrees degrees: Double) -> Double { Elementary.cos(degrees * .pi / 180) }
}
