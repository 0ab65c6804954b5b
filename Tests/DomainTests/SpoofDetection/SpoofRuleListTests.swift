import Foundation
import Testing

@testable import Domain

/// Lists of rules, with the example of `docs/how-to-add-a-signal.md`.
@Suite struct SpoofRuleListTests {
    /// Detects altitudes above the highest road.
    private struct HighAltitudeRule: SpoofRule {
        /// Per fix, in log-odds.
        var weight = 2.0
        /// In metres; the highest road is at 5,900 m.
        var maximumMeters = 6_000.0

        func problems() -> [String] { maximumMeters > 0 ? [] : ["maximumMeters must be positive."] }

        func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
            guard let altitude = context.fix.altitudeMeters, altitude > maximumMeters else { return }
            context.mark(.highAltitude, weight, .kinematicAnomaly, settings.risk)
        }
    }

    /// A rule that appends its digit to the distance, which shows the order of the rules.
    private struct Digit: SpoofRule {
        let digit: Double
        var weights: [Double] { [digit] }

        func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
            context.motion.distanceMeters = context.motion.distanceMeters * 10 + digit
        }
    }

    @SpoofRuleList
    private static var extended: some SpoofRule {
        SpoofRules().forEveryFix
        HighAltitudeRule()
    }

    @SpoofRuleList
    private static var digits: some SpoofRule {
        Digit(digit: 1)
        Digit(digit: 2)
        Digit(digit: 3)
    }

    private static func context(altitudeMeters: Double, isMock: Bool = false) -> FixContext {
        var fix = Fix(coordinate: Coordinate(latitude: 48.1, longitude: 11.6))
        fix.altitudeMeters = altitudeMeters
        fix.isMock = isMock
        let now = TestDriver.start
        return FixContext(fix: fix, receivedAt: now, streamTime: now, driver: DriverState())
    }

    @Test(
        "a rule added to a list adds evidence, marks the fix and warns",
        arguments: [(6_000.0, false), (6_001, true)])
    func added(altitudeMeters: Double, isMarked: Bool) {
        var context = Self.context(altitudeMeters: altitudeMeters)
        Self.extended.examine(&context, TrackingSettings())
        #expect(context.result.signals.contains(.highAltitude) == isMarked)
        #expect(context.result.reasons == (isMarked ? .kinematicAnomaly : []))
        #expect(context.result.warnings.map(\.reason) == (isMarked ? [.kinematicAnomaly] : []))
        #expect(context.driver.risk.evidence == (isMarked ? 2 : 0))
    }

    @Test("the rules before an added rule still run")
    func others() {
        var context = Self.context(altitudeMeters: 7_000, isMock: true)
        Self.extended.examine(&context, TrackingSettings())
        #expect(context.result.verdict == .rejected)
        #expect(context.result.reasons == [.mockLocation, .kinematicAnomaly])
        #expect(context.driver.risk.evidence == 5)
    }

    @Test("rules run from top to bottom")
    func order() {
        var context = Self.context(altitudeMeters: 0)
        Self.digits.examine(&context, TrackingSettings())
        #expect(context.motion.distanceMeters == 123)
        #expect(Self.digits.weights == [1, 2, 3])
    }

    @Test("a list reports the problems of all its rules")
    func problems() {
        var rules = SpoofRules()
        rules.mockLocation.weight = 0
        rules.rhythm.limits.evidenceThreshold = 40
        rules.jump.confirmations = 0
        #expect(rules.all.problems().count == 2)
        #expect(HighAltitudeRule(maximumMeters: 0).problems().count == 1)
        #expect(Self.extended.problems().isEmpty)
    }

    @Test("every configurable rule is in the lists exactly once")
    func complete() {
        func weights(in value: Any) -> Int {
            Mirror(reflecting: value).children.reduce(0) { count, child in
                let name = child.label ?? ""
                return count + (name == "weight" || name.hasSuffix("Weight") ? 1 : weights(in: child.value))
            }
        }
        let rules = SpoofRules()
        // A rule without configurable thresholds is only in a list, as in docs/how-to-add-a-signal.md.
        #expect(rules.all.weights.count >= weights(in: rules))
        let names = Mirror(reflecting: rules).children.map { "\(type(of: $0.value))" }
        let list = "\(type(of: rules.all))"
        for name in names { #expect(list.components(separatedBy: name).count == 2, "\(name)") }
    }
}

extension Signals {
    fileprivate static let highAltitude = Signals(rawValue: 1 << 31)
}
