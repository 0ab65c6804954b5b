import Domain

/// An honest trace prepared for attacks to be put into it.
struct AttackHost: Sendable {
    let trace: ReceivedTrace
    /// Seconds since the first fix.
    let seconds: [Double]
    /// Index of the first fix of the unbroken stretch that each fix belongs to.
    let stretchStart: [Int]
    let medianInterval: Double
    /// Spread of the intervals within 2 medians, in seconds; 0 where the device keeps exact time.
    let intervalSpread: Double
    let hasAccuracy: Bool
    let hasSpeed: Bool
    let hasHeading: Bool
    let hasAltitude: Bool
    /// Steps of the host's coordinates in a degree: a power of ten from 10⁴ to 10⁷, or those of minutes with 4 digits.
    let gridPerDegree: Double

    /// A longer silence, in seconds, ends a stretch: the judge excuses what follows it.
    static let maximumGapSeconds = 10.0
    /// Where the interval is longer, attacks last for more seconds, and what ends a stretch is a multiple of it.
    static let longestDenseInterval = 5.01
    private static let sparseGapIntervals = 2.5

    /// A minute's lead, the shortest attack and what follows it take this long, in seconds.
    static let leastSeconds = 100.0

    /// `nil` for a trace that is too short, too sparse (a median interval over `longestInterval` seconds) or never moves.
    init?(_ trace: ReceivedTrace, longestInterval: Double = longestDenseInterval) {
        guard trace.fixes.count >= 40, !trace.holdsAttack else { return nil }
        self.trace = trace
        let start = trace.takenAt(0)
        let seconds = trace.fixes.indices.map { trace.takenAt($0).seconds(since: start) }
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

    /// Whether the app sends what most signals look at beside the position.
    var hasMotionFields: Bool { hasSpeed && hasHeading }

    var isSparse: Bool { medianInterval > Self.longestDenseInterval }

    /// How many times as long attacks last: as many fixes at least as with one every 4 s.
    var durationScale: Double { isSparse ? medianInterval / 4 : 1 }

    /// Honest fixes before an attack.
    var leadFixes: Int { isSparse ? 10 : 30 }

    /// The host with a fix every `seconds`; `nil` where it has fewer, or is not long enough then.
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

    /// The first fix at or after `time`, from `start` on; the count where there is none.
    ///
    /// Times may stand still or step back.
    func index(atOrAfter time: Double, from start: Int) -> Int {
        var index = start
        while index < seconds.count, seconds[index] < time { index += 1 }
        return index
    }

    /// The last fix at least `span` seconds before fix `index`, within its stretch.
    func index(before index: Int, by span: Double) -> Int {
        var earlier = index
        while earlier > stretchStart[index], seconds[index] - seconds[earlier] < span { earlier -= 1 }
        return earlier
    }

    /// Speed over the last 10 s before fix `index`, by the way made, in m/s.
    func recentSpeed(_ index: Int) -> Double {
        let earlier = self.index(before: index, by: 10)
        let span = seconds[index] - seconds[earlier]
        return span > 0 ? distance(earlier, index) / span : 0
    }

    /// How far the fixes of a range lie from its first at most, in metres.
    func extent(_ range: Range<Int>) -> Double { range.reduce(0) { max($0, distance(range.lowerBound, $1)) } }
}
