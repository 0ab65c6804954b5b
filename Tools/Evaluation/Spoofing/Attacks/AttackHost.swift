import Domain
import Simulation
import Support

/// An honest trace into which attacks can be injected.
struct AttackHost: Sendable {
    let trace: ReceivedTrace
    /// Seconds since the first fix.
    let seconds: [Double]
    /// For each fix, the index of the first fix in its stretch, a part of the trace without gaps.
    let stretchStart: [Int]
    let medianInterval: Double
    /// Standard deviation in seconds of the intervals below twice the median; 0 if all are equal.
    let intervalSpread: Double
    let hasAccuracy: Bool
    let hasSpeed: Bool
    let hasHeading: Bool
    let hasAltitude: Bool
    /// Resolution of the coordinates in steps per degree: 10⁴ to 10⁷, or 6 · 10⁵ for minutes with 4 decimals.
    let gridPerDegree: Double

    /// Gap in seconds that ends a stretch, because the detector tolerates jumps after a gap.
    static let maximumGapSeconds = 10.0
    /// Maximum median interval of a dense host, in seconds; on sparse hosts, attacks are longer.
    static let longestDenseInterval = 5.01
    /// Gap that ends a stretch of a sparse host, in median intervals.
    private static let sparseGapIntervals = 2.5

    /// Minimum length in seconds: the lead, the shortest attack and the fixes after it.
    static let leastSeconds = 100.0

    /// Creates a host; `nil` if the trace is unsuitable.
    ///
    /// A trace is unsuitable if it has forged fixes, is too short, stays within 300 m, or has a median interval above
    /// `longestInterval` seconds.
    init?(_ trace: ReceivedTrace, longestInterval: Double = longestDenseInterval) {
        guard trace.fixes.count >= 40, !trace.hasForgedFixes else { return nil }
        self.trace = trace
        let start = trace.measuredAt(0)
        let seconds = trace.fixes.indices.map { trace.measuredAt($0).seconds(since: start) }
        let intervals = zip(seconds.dropFirst(), seconds).map { $0 - $1 }.sorted()
        let median = intervals[intervals.count / 2]
        medianInterval = median
        let gap = median > Self.longestDenseInterval ? Self.sparseGapIntervals * median : Self.maximumGapSeconds
        var stretches = [0]
        for index in 1..<seconds.count {
            let step = seconds[index] - seconds[index - 1]
            let isBroken = step < 0 || step > gap || trace.fixes[index].isCached
            stretches.append(isBroken ? index : stretches[index - 1])
        }
        self.seconds = seconds
        stretchStart = stretches
        let regular = intervals.filter { $0 > 0 && $0 < 2 * median }
        let mean = regular.reduce(0, +) / Double(max(1, regular.count))
        intervalSpread =
            (regular.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, regular.count))).squareRoot()
        hasAccuracy = trace.fixes.contains { $0.accuracyMeters != nil }
        hasSpeed = trace.fixes.contains { $0.speedMetersPerSecond != nil }
        hasHeading = trace.fixes.contains { $0.headingDegrees != nil }
        hasAltitude = trace.fixes.contains { $0.altitudeMeters != nil }
        gridPerDegree =
            [1e4, 1e5, 6e5, 1e6].first { steps in
                trace.fixes.prefix(50).allSatisfy { fix in
                    let (north, east) = (fix.coordinate.latitude * steps, fix.coordinate.longitude * steps)
                    return abs(north - north.rounded()) < 1e-4 && abs(east - east.rounded()) < 1e-4
                }
            } ?? 1e7
        let span = seconds.max() ?? 0
        guard span >= Self.leastSeconds, medianInterval <= longestInterval, isMoving else { return nil }
    }

    /// Whether the app sends speed and heading, which most signals use.
    var hasMotionFields: Bool { hasSpeed && hasHeading }

    var isSparse: Bool { medianInterval > Self.longestDenseInterval }

    /// Factor for the duration of attacks, with which sparse hosts get the forged fixes of a 4 s interval.
    var durationScale: Double { isSparse ? medianInterval / 4 : 1 }

    /// Minimum number of honest fixes before an attack.
    var leadFixes: Int { isSparse ? 10 : 30 }

    /// Returns the host with a fix every `seconds`; `nil` if its fixes are rarer or it becomes too short.
    func thinned(to seconds: Double) -> AttackHost? {
        guard medianInterval <= 1.25 * seconds else { return nil }
        return AttackHost(trace.thinned(to: seconds), longestInterval: 1.5 * seconds)
    }

    private var isMoving: Bool {
        let first = trace.fixes[0].coordinate
        return trace.fixes.contains { Geodesy.nearbyDistanceMeters(from: first, to: $0.coordinate) > 300 }
    }

    func coordinate(_ index: Int) -> Coordinate { trace.fixes[index].coordinate }

    func distance(_ first: Int, _ second: Int) -> Double {
        Geodesy.nearbyDistanceMeters(from: coordinate(first), to: coordinate(second))
    }

    /// Searches from fix `start` on for the first fix at or after `time`; returns its index, or the count if absent.
    func index(atOrAfter time: Double, from start: Int) -> Int {
        var index = start
        while index < seconds.count, seconds[index] < time { index += 1 }
        return index
    }

    /// Returns the index of the last fix at least `span` seconds before fix `index`, or the start of its stretch.
    func index(before index: Int, by span: Double) -> Int {
        var earlier = index
        while earlier > stretchStart[index], seconds[index] - seconds[earlier] < span { earlier -= 1 }
        return earlier
    }

    /// Returns the mean speed over the 10 s before fix `index`, from its positions, in m/s.
    func recentSpeed(_ index: Int) -> Double {
        let earlier = self.index(before: index, by: 10)
        let span = seconds[index] - seconds[earlier]
        return span > 0 ? distance(earlier, index) / span : 0
    }

    /// Returns the maximum distance of the fixes of a range from the first fix, in metres.
    func extent(_ range: Range<Int>) -> Double { range.reduce(0) { max($0, distance(range.lowerBound, $1)) } }

    /// Returns a forged fix that replaces fix `index`.
    ///
    /// It has the measured values of `fake`, and the fields and the precision of the host's own fixes.
    func forge(_ index: Int, _ fake: Fix, random: inout RandomSource) -> ForgedFix {
        var fix = trace.fixes[index]
        fix.coordinate = Coordinate(
            latitude: onGrid(fake.coordinate.latitude), longitude: onGrid(fake.coordinate.longitude))
        fix.accuracyMeters = fake.accuracyMeters
        fix.hasZeroAccuracy = fake.hasZeroAccuracy
        fix.speedMetersPerSecond = fake.speedMetersPerSecond.map { ($0 * 100).rounded() / 100 }
        fix.headingDegrees = fake.headingDegrees.map { Geodesy.normalizedHeading(($0 * 10).rounded() / 10) }
        fix.altitudeMeters = fake.altitudeMeters.map { ($0 * 10).rounded() / 10 }
        fix.isMock = fix.isMock || fake.isMock
        fix.contentHash = random.next()
        return ForgedFix(fix: masked(fix), receivedAt: trace.receivedAt[index])
    }

    /// Returns `fix` without the fields that the host's app never sends.
    func masked(_ fix: Fix) -> Fix {
        var fix = fix
        if !hasAccuracy { fix.accuracyMeters = nil }
        if !hasSpeed { fix.speedMetersPerSecond = nil }
        if !hasHeading { fix.headingDegrees = nil }
        if !hasAltitude { fix.altitudeMeters = nil }
        return fix
    }

    private func onGrid(_ degrees: Double) -> Double { (degrees * gridPerDegree).rounded() / gridPerDegree }

    /// Returns the delay between measurement and receipt of the fix before `index`, in seconds; never negative.
    func lastDelay(before index: Int) -> Double {
        max(0, trace.receivedAt[index - 1].seconds(since: trace.measuredAt(index - 1)))
    }
}

/// A forged fix and its time of receipt.
struct ForgedFix: Sendable {
    var fix: Fix
    var receivedAt: Timestamp
}
