/// How well a score tells two classes apart: the receiver operating characteristic (Fawcett 2006).
struct RocCurve: Sendable {
    struct Point: Sendable {
        var falsePositiveRate: Double
        var truePositiveRate: Double
    }

    /// From (0, 0) to (1, 1), one for each distinct score.
    let points: [Point]

    /// - Precondition: neither class is empty.
    init(positives: [Float], negatives: [Float]) {
        precondition(!positives.isEmpty && !negatives.isEmpty, "A curve was asked for without scores of both classes.")
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
                    falsePositiveRate: Double(alarm) / Double(falseAlarms.count),
                    truePositiveRate: Double(hit) / Double(hits.count)))
        }
        self.points = points
    }

    /// The area under the curve; ties count half.
    var area: Double {
        zip(points, points.dropFirst()).reduce(0) { area, step in
            let width = step.1.falsePositiveRate - step.0.falsePositiveRate
            return area + width * (step.0.truePositiveRate + step.1.truePositiveRate) / 2
        }
    }

    /// The share of positives found by the lowest threshold whose rate of false positives is at most `rate`.
    func truePositiveRate(at rate: Double) -> Double {
        points.last { $0.falsePositiveRate <= rate }?.truePositiveRate ?? 0
    }

    /// At most a few hundred of the points, spread over the logarithm of the rate of false positives.
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
