import Domain

/// Literal spoof rules of a ride-hailing case study, as a baseline.
///
/// Over 200 km/h between two samples; over 1 km in under 5 s; the mock flag; a failed integrity check; an accuracy of
/// exactly 0, or the same accuracy over ten fixes while the vehicle moves.
struct BaselineRules {
    static let maximumSpeedMetersPerSecond = 200 / 3.6
    static let teleportMeters = 1000.0
    static let teleportSeconds = 5.0
    static let constantAccuracyFixes = 10
    /// Minimum distance from the first to the last of ten fixes of a moving vehicle, in metres.
    static let movedMeters = 30.0

    /// Returns for each fix whether any rule matches.
    static func hits(_ trace: ReceivedTrace) -> [Bool] {
        var hits = Array(repeating: false, count: trace.fixes.count)
        var run = 0
        for (index, fix) in trace.fixes.enumerated() {
            var hit = fix.isMock || fix.integrity == .failed || fix.hasZeroAccuracy
            if index > 0 { hit = hit || isTooFar(trace, index) }
            let isSame =
                index > 0 && fix.accuracyMeters != nil
                && fix.accuracyMeters == trace.fixes[index - 1].accuracyMeters
            run = isSame ? run + 1 : 0
            if run + 1 >= constantAccuracyFixes {
                let start = trace.fixes[index - constantAccuracyFixes + 1].coordinate
                hit = hit || Geodesy.nearbyDistanceMeters(from: start, to: fix.coordinate) > movedMeters
            }
            hits[index] = hit
        }
        return hits
    }

    private static func isTooFar(_ trace: ReceivedTrace, _ index: Int) -> Bool {
        let seconds = trace.measuredAt(index).seconds(since: trace.measuredAt(index - 1))
        guard seconds > 0 else { return false }
        let meters = Geodesy.nearbyDistanceMeters(
            from: trace.fixes[index - 1].coordinate, to: trace.fixes[index].coordinate)
        return meters / seconds > maximumSpeedMetersPerSecond || (meters > teleportMeters && seconds < teleportSeconds)
    }
}
