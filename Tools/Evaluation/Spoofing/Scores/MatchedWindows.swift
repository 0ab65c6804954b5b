/// Receiver operating characteristic of a score (Fawcett 2006).
struct RocCurve: Sendable {
    struct Point: Encodable, Sendable {
        var falsePositiveRate: Double
        var truePositiveRate: Double
    }

    /// Points from (0, 0) to (1, 1), one per distinct score.
    let points: [Point]

    /// - Precondition: neither class is empty.
    init(positives: [Float], negatives: [Float]) {
        precondition(!positives.isEmpty && !negatives.isEmpty, "A ROC curve needs scores of both classes.")
        let hits = positives.sorted(by: >)
        let falseAlarms = negatives.sorted(by: >)
        var points = [Point(falsePositiveRate: 0, truePositiveRate: 0)]
        var (hit, alarm) = (0, 0)
        while hit < hits.count || alarm < falseAlarms.count {
            let threshold = max(
                hit < hits.count ? hits[hit] : -.infinity, alarm < falseAlarms.count ? falseAlarms[alarm] : -.infinity)
            while hit < hits.count, hits[hit] >= threshold { hit += 1 }
            while alarm < falseAlarms.count, falseAlarms[alarm] >= threshold { alarm += 1 }
            points.append(
                Point(
                    falsePositiveRate: alarm.share(of: falseAlarms.count), truePositiveRate: hit.share(of: hits.count)))
        }
        self.points = points
    }

    /// Area under the curve; ties count half.
    var area: Double {
        zip(points, points.dropFirst()).reduce(0) { area, step in
            let width = step.1.falsePositiveRate - step.0.falsePositiveRate
            return area + width * (step.0.truePositiveRate + step.1.truePositiveRate) / 2
        }
    }

    /// At most a few hundred points, spread over the logarithm of the false positive rate.
    var thinned: [Point] {
        var kept: [Point] = []
        for point in points {
            guard let last = kept.last else {
                kept.append(point)
                continue
            }
            let isFar =
                point.falsePositiveRate > last.falsePositiveRate * 1.03
                || point.truePositiveRate > last.truePositiveRate + 0.005
            if isFar || point.falsePositiveRate == 1 { kept.append(point) }
        }
        return kept
    }
}

/// Windows of attacks and of the same stretches of the same hosts without an attack.
struct MatchedWindows: Sendable {
    /// Highest risk and the baseline's result in 10 s.
    struct Window: Sendable {
        var risk: Float = 0
        var isBaselineHit = false
        /// Whether the host sends speed and heading.
        var hasMotionFields: Bool
    }

    private static let seconds = 10.0
    /// Seconds from an attack's first forged fix to the first window; earlier fixes show the delay of the detection.
    private static let onsetSeconds = 20.0

    private(set) var forged: [Window] = []
    private(set) var honest: [Window] = []

    mutating func add(forged attack: InjectedAttack, _ outcomes: [FixOutcome]) {
        forged += Self.windows(of: attack, outcomes)
    }

    mutating func add(honest attack: InjectedAttack, _ outcomes: [FixOutcome]) {
        honest += Self.windows(of: attack, outcomes)
    }

    mutating func add(_ other: MatchedWindows) {
        forged += other.forged
        honest += other.honest
    }

    /// Returns the windows of hosts that send speed and heading, or of all others.
    func of(hostsWithMotionFields has: Bool) -> MatchedWindows {
        var part = MatchedWindows()
        part.forged = forged.filter { $0.hasMotionFields == has }
        part.honest = honest.filter { $0.hasMotionFields == has }
        return part
    }

    private static func windows(of attack: InjectedAttack, _ outcomes: [FixOutcome]) -> [Window] {
        windows(
            of: outcomes, BaselineRules.hits(attack.trace), in: attack.range, onset: onsetSeconds,
            hasMotionFields: attack.site.host.hasMotionFields)
    }

    /// Returns the windows of fixes `range` of one driver, starting `onset` seconds after the first of them.
    static func windows(
        of outcomes: [FixOutcome], _ baselineHits: [Bool], in range: Range<Int>, onset: Double = 0,
        hasMotionFields: Bool = false
    ) -> [Window] {
        guard let first = range.first else { return [] }
        let start = outcomes[first].at.advanced(bySeconds: onset)
        var windows: [Window] = []
        var current: Int?
        for index in range where outcomes[index].at >= start {
            let number = Int((outcomes[index].at.seconds(since: start) / seconds).rounded(.down))
            if number != current {
                windows.append(Window(hasMotionFields: hasMotionFields))
                current = number
            }
            let last = windows.count - 1
            windows[last].risk = max(windows[last].risk, outcomes[index].risk)
            if baselineHits[index] { windows[last].isBaselineHit = true }
        }
        return windows
    }
}
