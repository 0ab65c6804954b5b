import Domain
import Recordings

/// Where in a trace its vehicle stands, as far as anything but the filter can tell.
///
/// By the reference where there is one, else by the reported speed, else by positions that stay where they are.
package struct StandingStretches: Sendable {
    /// The fixes of each stretch, from the first to the last that stands.
    package let stretches: [ClosedRange<Int>]

    /// A reference this slow stands, m/s: a survey-grade one is right to centimetres a second.
    private static let standingSpeed = 0.3
    /// A reported speed this low stands, m/s: Doppler noise of phones.
    private static let standingReportedSpeed = 0.5
    /// Only stretches that last count, in seconds; those seen by positions alone have to last longer.
    private static let leastSeconds = 10.0
    private static let leastSecondsByPosition = 30.0
    /// Positions of a vehicle that gives no speed, and stands, are this near to where they began, in metres.
    private static let radiusMeters = 15.0
    /// A device that says it stands while its positions travel this far always says so, in metres.
    private static let contradictionMeters = 150.0
    /// What happens in a longer silence is unknown, in seconds.
    private static let longestStepSeconds = 10.0
    /// What leaps away this fast at the end was frozen by a receiver without satellites, m/s.
    private static let leapMetersPerSecond = 70.0

    package init(_ trace: RecordedTrace) {
        var stretches: [ClosedRange<Int>] = []
        var start = 0
        while start < trace.fixes.count {
            var end = start
            while end + 1 < trace.fixes.count, Self.stands(trace, from: end, to: end + 1, since: start) { end += 1 }
            if Self.counts(trace, start...end) { stretches.append(start...end) }
            start = end + 1
        }
        self.stretches = stretches
    }

    private static func stands(_ trace: RecordedTrace, from: Int, to: Int, since start: Int) -> Bool {
        guard let seconds = trace.seconds(from: from, to: to), seconds >= 0, seconds <= longestStepSeconds else {
            return false
        }
        if let before = trace.truth[from], let after = trace.truth[to] {
            // Stamps with little resolution repeat: then the reference must not have moved at all.
            return Geodesy.distanceMeters(from: before, to: after) <= standingSpeed * max(seconds, 0.05)
        }
        if let before = trace.fixes[from].speedMetersPerSecond, let after = trace.fixes[to].speedMetersPerSecond {
            return max(before, after) < standingReportedSpeed
        }
        let (first, last) = (trace.fixes[start].coordinate, trace.fixes[to].coordinate)
        return Geodesy.distanceMeters(from: first, to: last) <= radiusMeters
    }

    private static func leaps(_ trace: RecordedTrace, from index: Int) -> Bool {
        guard index + 1 < trace.fixes.count, let seconds = trace.seconds(from: index, to: index + 1) else {
            return false
        }
        let (last, next) = (trace.fixes[index].coordinate, trace.fixes[index + 1].coordinate)
        return Geodesy.distanceMeters(from: last, to: next) > radiusMeters + leapMetersPerSecond * max(0, seconds)
    }

    private static func counts(_ trace: RecordedTrace, _ range: ClosedRange<Int>) -> Bool {
        guard range.count > 2, let seconds = trace.seconds(from: range.lowerBound, to: range.upperBound) else {
            return false
        }
        let isByReference = trace.truth[range.lowerBound] != nil
        let isBySpeed = trace.fixes[range.lowerBound].speedMetersPerSecond != nil
        guard isByReference || isBySpeed else {
            return seconds >= leastSecondsByPosition && !leaps(trace, from: range.upperBound)
        }
        let (first, last) = (trace.fixes[range.lowerBound].coordinate, trace.fixes[range.upperBound].coordinate)
        let isContradicted = !isByReference && Geodesy.distanceMeters(from: first, to: last) > contradictionMeters
        return seconds >= leastSeconds && !isContradicted
    }
}

extension RecordedTrace {
    /// Seconds between two fixes by the device's clock; `nil` where it gives none.
    func seconds(from: Int, to: Int) -> Double? {
        guard let earlier = fixes[from].deviceAt, let later = fixes[to].deviceAt else { return nil }
        return later.seconds(since: earlier)
    }
}
