import Domain
import Recordings

/// Stretches of a trace in which the vehicle stands, found without the filter.
///
/// Uses the reference if the trace has one, or else the reported speed, or else the positions.
enum StandingStretches {
    /// Maximum speed of a standing reference, in m/s; survey-grade references are accurate to centimetres per second.
    private static let standingSpeed = 0.3
    /// Maximum reported speed of a standing vehicle, in m/s; covers the Doppler noise of phones.
    private static let standingReportedSpeed = 0.5
    /// Minimum length of a stretch in seconds, with a reference or speed, and by positions alone.
    private static let leastSeconds = 10.0
    private static let leastSecondsByPosition = 30.0
    /// Radius in metres around the first position, for vehicles without a speed.
    private static let radiusMeters = 15.0
    /// A distance in metres that contradicts a reported speed of 0.
    private static let contradictionMeters = 150.0
    /// Maximum interval between fixes of a stretch, in seconds.
    private static let longestStepSeconds = 10.0
    /// Speed of a final jump (m/s), which shows that a receiver without satellites had frozen its position.
    private static let jumpMetersPerSecond = 70.0

    /// Returns the first and last standing fix of each stretch.
    static func of(_ trace: RecordedTrace) -> [ClosedRange<Int>] {
        var stretches: [ClosedRange<Int>] = []
        var start = 0
        while start < trace.fixes.count {
            var end = start
            while end + 1 < trace.fixes.count, stands(trace, from: end, to: end + 1, since: start) { end += 1 }
            if counts(trace, start...end) { stretches.append(start...end) }
            start = end + 1
        }
        return stretches
    }

    private static func stands(_ trace: RecordedTrace, from: Int, to: Int, since start: Int) -> Bool {
        guard let seconds = trace.seconds(from: from, to: to), seconds >= 0, seconds <= longestStepSeconds else {
            return false
        }
        if let before = trace.truth[from], let after = trace.truth[to] {
            // With coarse timestamps, two fixes can have the same time; then 1.5 cm are permitted.
            return Geodesy.distanceMeters(from: before, to: after) <= standingSpeed * max(seconds, 0.05)
        }
        if let before = trace.fixes[from].speedMetersPerSecond, let after = trace.fixes[to].speedMetersPerSecond {
            return max(before, after) < standingReportedSpeed
        }
        let (first, last) = (trace.fixes[start].coordinate, trace.fixes[to].coordinate)
        return Geodesy.distanceMeters(from: first, to: last) <= radiusMeters
    }

    private static func jumps(_ trace: RecordedTrace, from index: Int) -> Bool {
        guard index + 1 < trace.fixes.count, let seconds = trace.seconds(from: index, to: index + 1) else {
            return false
        }
        let (last, next) = (trace.fixes[index].coordinate, trace.fixes[index + 1].coordinate)
        return Geodesy.distanceMeters(from: last, to: next) > radiusMeters + jumpMetersPerSecond * max(0, seconds)
    }

    private static func counts(_ trace: RecordedTrace, _ range: ClosedRange<Int>) -> Bool {
        guard range.count > 2, let seconds = trace.seconds(from: range.lowerBound, to: range.upperBound) else {
            return false
        }
        let isByReference = trace.truth[range.lowerBound] != nil
        let isBySpeed = trace.fixes[range.lowerBound].speedMetersPerSecond != nil
        guard isByReference || isBySpeed else {
            return seconds >= leastSecondsByPosition && !jumps(trace, from: range.upperBound)
        }
        let (first, last) = (trace.fixes[range.lowerBound].coordinate, trace.fixes[range.upperBound].coordinate)
        let isContradicted = !isByReference && Geodesy.distanceMeters(from: first, to: last) > contradictionMeters
        return seconds >= leastSeconds && !isContradicted
    }
}

extension RecordedTrace {
    /// Returns the seconds between two fixes by the device's clock; `nil` without device times.
    func seconds(from: Int, to: Int) -> Double? {
        guard let earlier = fixes[from].deviceAt, let later = fixes[to].deviceAt else { return nil }
        return later.seconds(since: earlier)
    }
}
