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

    /// Returns the share of positives at the lowest threshold with a false positive rate of at most `rate`.
    func truePositiveRate(at rate: Double) -> Double {
        points.last { $0.falsePositiveRate <= rate }?.truePositiveRate ?? 0
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

/// Highest risk and the baseline's result in windows of 10 s.
struct WindowScores: Sendable {
    struct Window: Sendable {
        var risk: Float
        var isBaselineHit: Bool
    }

    private static let seconds = 10.0

    private(set) var windows: [Window] = []

    /// Adds the windows of fixes `range` of one driver, starting `onset` seconds after the first of them.
    mutating func add(_ outcomes: [FixOutcome], _ baselineHits: [Bool], in range: Range<Int>, onset: Double = 0) {
        guard let first = range.first else { return }
        let start = outcomes[first].at.advanced(bySeconds: onset)
        var current: Int?
        for index in range where outcomes[index].at >= start {
            let number = Int((outcomes[index].at.seconds(since: start) / Self.seconds).rounded(.down))
            if number != current {
                windows.append(Window(risk: 0, isBaselineHit: false))
                current = number
            }
            let last = windows.count - 1
            windows[last].risk = max(windows[last].risk, outcomes[index].risk)
            if baselineHits[index] { windows[last].isBaselineHit = true }
        }
    }

    mutating func add(_ other: WindowScores) { windows += other.windows }
}

/// Windows of attacks and of the same stretches of the same hosts without an attack, by the fields of the hosts.
struct MatchedWindows: Sendable {
    /// Seconds from an attack's first forged fix to the first window; earlier fixes show the delay of the detection.
    static let onsetSeconds = 20.0

    /// Index 0: hosts that send speed and heading; index 1: all others.
    private(set) var forged = [WindowScores(), WindowScores()]
    private(set) var honest = [WindowScores(), WindowScores()]

    mutating func add(
        _ attack: InjectedAttack, _ outcomes: [FixOutcome], _ baselineHits: [Bool], honest honestAttack: InjectedAttack,
        _ honestOutcomes: [FixOutcome]
    ) {
        let index = attack.site.host.hasMotionFields ? 0 : 1
        forged[index].add(outcomes, baselineHits, in: attack.range, onset: Self.onsetSeconds)
        honest[index].add(
            honestOutcomes, BaselineRules.hits(honestAttack.trace), in: honestAttack.range, onset: Self.onsetSeconds)
    }

    mutating func add(_ other: MatchedWindows) {
        for index in 0...1 {
            forged[index].add(other.forged[index])
            honest[index].add(other.honest[index])
        }
    }
}
